package difftrial

import (
	"maps"
	"slices"
	"strconv"

	"github.com/seatrial/seatrial/orchestrator"
)

// both is a thing of the old trial beside that of the new one by the same name; nil where there is none.
type both[T any] struct {
	name     string
	old, new *T
}

// join puts things with the same name beside each other: those of the old trial in their order, then what only the new one has. Of several with one name the first is joined with the
// first, the second with the second.
func join[T any](was, now []T, name func(*T) string) []both[T] {
	type key struct {
		name string
		n    int
	}
	var out []both[T]
	at := map[key]int{}
	add := func(list []T, put func(b *both[T], v *T)) {
		seen := map[string]int{}
		for i := range list {
			k := key{name: name(&list[i])}
			seen[k.name]++
			k.n = seen[k.name]
			place, ok := at[k]
			if !ok {
				place = len(out)
				at[k] = place
				shown := k.name
				if k.n > 1 {
					shown += " #" + strconv.Itoa(k.n)
				}
				out = append(out, both[T]{name: shown})
			}
			put(&out[place], &list[i])
		}
	}
	add(was, func(b *both[T], v *T) { b.old = v })
	add(now, func(b *both[T], v *T) { b.new = v })
	return out
}

// keys are the keys of two maps, sorted.
func keys[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// at is a map's value; nil where there is none.
func at[V any](m map[string]V, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return nil
}

// count counts equal texts.
func count(list []string) map[string]int {
	m := map[string]int{}
	for _, s := range list {
		m[s]++
	}
	return m
}

// command is a command of a trial, by the name that the record has for it.
type command struct {
	name string
	exec *orchestrator.Exec
}

// commands are the commands that a trial ran, in the order of its steps.
func commands(r *orchestrator.TrialRecord) []command {
	var out []command
	add := func(before string, f *orchestrator.StepFacts) {
		for _, c := range []command{{"setup_script", f.SetupScript}, {"agent", f.Agent}, {"verifier", f.Verifier}} {
			if c.exec != nil {
				out = append(out, command{before + c.name, c.exec})
			}
		}
	}
	add("", &r.StepFacts)
	for i := range r.Steps {
		add("steps."+r.Steps[i].Name+".", &r.Steps[i].StepFacts)
	}
	return out
}

// sides are the commands of two trials beside each other.
func sides(was, now *orchestrator.TrialRecord) []both[command] {
	return join(commands(was), commands(now), func(c *command) string { return c.name })
}

// steps are the results of the steps of two trials beside each other.
func steps(was, now *orchestrator.TrialRecord) []both[orchestrator.StepResult] {
	return join(was.Case.Steps, now.Case.Steps, func(s *orchestrator.StepResult) string { return s.Name })
}
