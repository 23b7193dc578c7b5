package world

import (
	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// rule is a scripted fault and how often it was met.
type rule struct {
	fault        *spec.Fault
	seen, struck int
}

// strike gives the fault that a call of tool with these arguments meets, or nil. All rules count the calls that they are
// about; the first that is due strikes.
func (s *server) strike(tool string, args map[string]any) *spec.Fault {
	var due *rule
	for _, r := range s.faults {
		f := r.fault
		if f.Tool != tool || !subset(f.Match, args) {
			continue
		}
		r.seen++
		if due == nil && r.seen >= f.Nth && (f.Times == 0 || r.struck < f.Times) {
			due = r
		}
	}
	if due == nil {
		return nil
	}
	due.struck++
	return due.fault
}

// subset reports whether have holds all that want does, within objects too.
func subset(want, have any) bool {
	object, ok := want.(map[string]any)
	if !ok {
		return format.Equal(want, have)
	}
	if object == nil {
		return true
	}
	other, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range object {
		if inner, has := other[k]; !has || !subset(v, inner) {
			return false
		}
	}
	return true
}
