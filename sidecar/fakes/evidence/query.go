package evidence

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// Query chooses servers and tools. No servers mean all; no tools mean all.
type Query struct {
	Servers []string
	Tools   []string
}

// servers gives the chosen servers, sorted. The error is a *NoServersError or an *UnknownError.
func (e *Evidence) servers(names []string) ([]string, error) {
	known := slices.Sorted(maps.Keys(e.Manifest.Servers))
	if len(known) == 0 {
		return nil, &NoServersError{Dir: e.Dir}
	}
	if len(names) == 0 {
		return known, nil
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &UnknownError{What: "server", Name: name, Known: known}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names))), nil
}

// Calls hands the chosen calls to yield in their order, until that returns an error, which it then returns. A name of a
// tool need not be in the manifest: agents call what does not exist. The error can be a *NoServersError, an *UnknownError
// for a server, or an *InvalidError.
func (e *Evidence) Calls(q Query, yield func(CallLine) error) error {
	servers, err := e.servers(q.Servers)
	if err != nil {
		return err
	}
	return e.lines(CallsFile, func(data []byte) error {
		var line CallLine
		if err := json.Unmarshal(data, &line); err != nil {
			return err //nolint:wrapcheck // lines says where
		}
		// A call to a server that does not exist belongs to no server, and is shown when all are.
		if len(q.Servers) > 0 && !slices.Contains(servers, line.Server) || len(q.Tools) > 0 && !slices.Contains(q.Tools, line.Tool) {
			return nil
		}
		return yield(line)
	})
}

// Violations hands the violations to yield in their order.
func (e *Evidence) Violations(yield func(ViolationLine) error) error {
	return each(e, ViolationsFile, yield)
}

// Outbound hands the effects that left the system to yield in their order.
func (e *Evidence) Outbound(yield func(OutboundLine) error) error {
	return each(e, OutboundFile, yield)
}

func each[T any](e *Evidence, name string, yield func(T) error) error {
	return e.lines(name, func(data []byte) error {
		var line T
		if err := json.Unmarshal(data, &line); err != nil {
			return err //nolint:wrapcheck // lines says where
		}
		return yield(line)
	})
}

// Change is a row that differs between two states.
type Change struct {
	Server string `json:"server"`
	Entity string `json:"entity"`
	ID     string `json:"id"`
	// Kind is added, removed or changed.
	Kind   string         `json:"kind"`
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`
	// Fields are those that differ in a changed row, by name.
	Fields []FieldChange `json:"fields,omitempty"`
}

// FieldChange is a field that differs; a value is null where the field is absent.
type FieldChange struct {
	Name   string `json:"name"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Diff gives what differs between the first and the last state of the chosen servers, sorted by server, entity and id.
// The tools of q do not matter.
func (e *Evidence) Diff(q Query) ([]Change, error) {
	servers, err := e.servers(q.Servers)
	if err != nil {
		return nil, err
	}
	before, err := e.Initial()
	if err != nil {
		return nil, err
	}
	after, err := e.Final()
	if err != nil {
		return nil, err
	}
	return Compare(before, after, servers), nil
}

// Compare gives what differs between two states of these servers, sorted by server, entity and id.
func Compare(before, after State, servers []string) []Change {
	changes := []Change{}
	for _, server := range servers {
		for _, entity := range union(before[server], after[server]) {
			old, now := before[server][entity], after[server][entity]
			for _, id := range union(old, now) {
				c := Change{Server: server, Entity: entity, ID: id, Before: old[id], After: now[id]}
				_, was := old[id]
				_, is := now[id]
				switch {
				case !was:
					c.Kind = "added"
				case !is:
					c.Kind = "removed"
				default:
					c.Kind = "changed"
					if c.Fields = fieldChanges(old[id], now[id]); len(c.Fields) == 0 {
						continue
					}
				}
				changes = append(changes, c)
			}
		}
	}
	return changes
}

func fieldChanges(before, after map[string]any) []FieldChange {
	var changes []FieldChange
	for _, name := range union(before, after) {
		_, was := before[name]
		_, is := after[name]
		if was != is || !format.Equal(before[name], after[name]) {
			changes = append(changes, FieldChange{Name: name, Before: before[name], After: after[name]})
		}
	}
	return changes
}

// union gives the keys of both maps, sorted.
func union[K cmp.Ordered, V any](a, b map[K]V) []K {
	keys := map[K]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
