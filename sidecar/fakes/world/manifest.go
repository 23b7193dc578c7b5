package world

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// Manifest says what this world plays.
func (w *World) Manifest() evidence.Manifest {
	m := evidence.Manifest{
		Version: evidence.Version, Scenario: w.scenario, Seed: w.seed, Now: stamp(w.start), Servers: map[string]evidence.Server{},
	}
	for name, s := range w.servers {
		m.Servers[name] = manifest(s.spec)
	}
	return m
}

func manifest(s *spec.Server) evidence.Server {
	m := evidence.Server{
		Protocols: []string{}, Entities: map[string]evidence.Entity{}, Tools: map[string]evidence.Tool{},
		Writes: map[string][]string{}, Reads: []string{},
	}
	for _, p := range s.Protocols {
		m.Protocols = append(m.Protocols, string(p))
	}
	for _, e := range s.Entities {
		m.Entities[e.Name] = evidence.Entity{ID: e.ID, Outbound: e.Outbound}
	}
	for _, t := range s.Tools {
		m.Tools[t.Name] = evidence.Tool{
			Write: t.Write(), Format: string(t.Codec.Format), Prefix: t.Codec.Prefix, Input: t.Input, Output: t.Output,
		}
		if t.Reads {
			m.Reads = append(m.Reads, t.Name)
		} else {
			m.Writes[t.Name] = append([]string{}, t.Writes...)
		}
	}
	for _, r := range s.Routes {
		m.Routes = append(m.Routes, r.Method+" "+r.Path)
	}
	m.Contract = contract(m)
	return m
}

// contract gives the hash of what clients of the server see. Encoding sorts the names.
func contract(m evidence.Server) string {
	data, err := json.Marshal(map[string]any{"tools": m.Tools, "routes": m.Routes, "protocols": m.Protocols})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
