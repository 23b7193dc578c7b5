package sidecar

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// leftovers says what runs have on the engine: those under way, what dead ones have left, and what was kept on purpose.
func (x *examination) leftovers(ctx context.Context) []Finding {
	all, err := x.eng.List(ctx, Selector{})
	if err != nil {
		return []Finding{unknown("leftovers", "what earlier runs have left", err)}
	}
	return sortLeftovers(all, x.checkup.Self)
}

// sortLeftovers judges objects as Stale does.
func sortLeftovers(all []Object, self Owner) []Finding {
	kept := keptTrials(all)
	stale, foreign, live, stacks := []string{}, []string{}, map[string]bool{}, map[string]bool{}
	for _, o := range all {
		owner, ok := ParseOwner(o.Labels[LabelOwner])
		state := Unknown
		if ok {
			state = owner.Alive(self)
		}
		_, isKept := kept[o.Labels[LabelTrial]]
		switch {
		case isKept:
			stacks[o.Labels[LabelTrial]] = true
		case state == Alive:
			live[o.Labels[LabelRun]] = true
		case state == Dead:
			stale = append(stale, o.String())
		default:
			foreign = append(foreign, o.String())
		}
	}
	runs := Finding{ID: "runs", Level: LevelOK, Says: plural(len(live), "run") + " under way from here", Facts: map[string]any{"runs": sorted(live)}}
	left := Finding{ID: "leftovers", Level: LevelOK, Says: "nothing is left of dead runs", Facts: map[string]any{"objects": stale, "foreign": foreign}}
	if len(stale) > 0 {
		left.Level, left.Says = LevelWarn, plural(len(stale), "object")+" left of dead runs: "+some(stale)
		left.Advice = "`seatrial gc` removes them, and so does the next run."
	}
	if len(foreign) > 0 {
		left.Says += fmt.Sprintf("; %s of other hosts, which cannot be judged from here", plural(len(foreign), "object"))
	}
	keep := Finding{ID: "kept", Level: LevelOK, Says: "no stacks are kept", Facts: map[string]any{"trials": sorted(stacks)}}
	if len(stacks) > 0 {
		keep.Level, keep.Says = LevelWarn, plural(len(stacks), "stack")+" kept on purpose: "+some(sorted(stacks))
		keep.Advice = "`seatrial gc -n` says until when; `seatrial gc --kept` removes them when you have seen enough."
	}
	return []Finding{runs, left, keep}
}

func sorted(set map[string]bool) []string {
	return append([]string{}, slices.Sorted(maps.Keys(set))...)
}

// some lists the first few of many.
func some(list []string) string {
	const few = 3
	if len(list) > few {
		return strings.Join(list[:few], ", ") + fmt.Sprintf(" and %d more", len(list)-few)
	}
	return strings.Join(list, ", ")
}
