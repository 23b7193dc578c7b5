package sidecar

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"strings"
)

// Labels that every object of a trial bears. What is shared between runs bears LabelCache instead, and is never swept.
const (
	LabelRun     = "dev.seatrial.run"     // the run's id
	LabelTrial   = "dev.seatrial.trial"   // the trial's id, unique on the engine
	LabelOwner   = "dev.seatrial.owner"   // who made it, see Owner
	LabelService = "dev.seatrial.service" // the service's name in the compose file
	LabelKeep    = "dev.seatrial.keep"    // the run's --keep policy, when it has one
	// LabelKeptSince and LabelKeptUntil say of a kept stack since when and until when it is, as RFC 3339 has it; one volume of the stack bears them.
	LabelKeptSince = "dev.seatrial.kept-since"
	LabelKeptUntil = "dev.seatrial.kept-until"

	LabelCache = "dev.seatrial.cache" // what kind of cache it is
)

// Scope says whose objects are meant.
type Scope struct {
	Run   string
	Trial string // empty = every trial of the run
	Owner Owner
	Keep  string // "", "failed" or "always"
}

func (s Scope) labels(extra ...string) map[string]string {
	m := map[string]string{LabelRun: s.Run, LabelTrial: s.Trial, LabelOwner: s.Owner.String()}
	if s.Keep != "" {
		m[LabelKeep] = s.Keep
	}
	for i := 0; i+1 < len(extra); i += 2 {
		m[extra[i]] = extra[i+1]
	}
	return m
}

// merged adds the scope's labels to those of the compose file, which can never replace ours.
func merged(theirs, ours map[string]string) map[string]string {
	m := make(map[string]string, len(theirs)+len(ours))
	for k, v := range theirs {
		if !strings.HasPrefix(k, "dev.seatrial.") {
			m[k] = v
		}
	}
	maps.Copy(m, ours)
	return m
}

// Slug makes a name that engines and file systems take from any text: lower-case letters, digits, dot, dash and underscore,
// beginning with a letter or digit, at most limit bytes. Different texts may give the same slug.
func Slug(s string, limit int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '.' || r == '_' || r == '-':
			if b.Len() > 0 {
				b.WriteRune(r)
			}
		case b.Len() > 0:
			b.WriteByte('-')
		}
		if b.Len() >= limit {
			break
		}
	}
	out := strings.Trim(b.String()[:min(b.Len(), limit)], "-._")
	if out == "" {
		return "x"
	}
	return out
}

// RandomID returns n random hexadecimal digits.
func RandomID(n int) string {
	buf := make([]byte, (n+1)/2)
	_, _ = rand.Read(buf) // never fails, see crypto/rand
	return hex.EncodeToString(buf)[:n]
}
