package orchestrator

import (
	"cmp"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
)

// hostVariable is a variable on which a plan depends: from is "host", or the flag that gave it.
type hostVariable struct{ from, name string }

// unset stands for the value of a variable that the host does not have. No variable can have it.
const unset = "\x00"

// watched are the same options with a Lookup that notes what it is asked, and what came of that.
func (o *Options) watched() (*Options, map[hostVariable]string) {
	looked := map[hostVariable]string{}
	for from, env := range map[string]map[string]string{"agent-env": o.AgentEnv, "verifier-env": o.VerifierEnv, "compose-env": o.ComposeEnv} {
		for name, value := range env {
			looked[hostVariable{from, name}] = value
		}
	}
	w := *o
	w.Lookup = func(name string) (string, bool) {
		if o.Lookup == nil {
			return "", false
		}
		value, ok := o.Lookup(name)
		if looked[hostVariable{"host", name}] = value; !ok {
			looked[hostVariable{"host", name}] = unset
		}
		return value, ok
	}
	return &w, looked
}

// recorded is what a lock keeps of the options.
func (o *Options) recorded() lockfile.Options {
	r := lockfile.Options{Rewards: o.Rewards, Lax: o.Lax, AllowExternal: o.AllowExternal, FreshSteps: o.FreshSteps, MeanOfDeclared: o.MeanOfDeclared, ForceBuild: o.ForceBuild,
		TimeoutMultiplier: o.TimeoutMultiplier}
	for p, on := range o.Allow {
		if on {
			r.Allow = append(r.Allow, string(p))
		}
	}
	slices.Sort(r.Allow)
	for name, v := range timeouts(o) {
		if s, ok := v.(float64); ok && name != "multiplier" {
			if r.Timeouts == nil {
				r.Timeouts = map[string]float64{}
			}
			r.Timeouts[name] = s
		}
	}
	return r
}

// variables are those on which the plan depends, with what tells whether they are the same again.
func (p *Plan) variables(salt string) []lockfile.Variable {
	out := []lockfile.Variable{}
	for v, value := range p.looked {
		r := lockfile.Variable{From: v.from, Name: v.name}
		if value != unset {
			r.Fingerprint = lockfile.Fingerprint(salt, v.name, value)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b lockfile.Variable) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Name, b.Name))
	})
	return out
}
