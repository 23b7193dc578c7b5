package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// AmbiguousError says that a case could be joined with more than one, so that it is joined with none.
type AmbiguousError struct {
	Side    string // "OLD" or "NEW": where the case is
	ID      string
	Matches []string // what it could be, sorted
}

func (e *AmbiguousError) Error() string {
	if len(e.Matches) == 0 {
		return fmt.Sprintf("%s has more than one case %q, so that nothing can be joined with it", e.Side, e.ID)
	}
	other := map[string]string{"OLD": "NEW", "NEW": "OLD"}[e.Side]
	const most = 5
	names := strings.Join(quoted(e.Matches[:min(most, len(e.Matches))]), ", ")
	if len(e.Matches) > most {
		names += ", ..."
	}
	return fmt.Sprintf("case %q of %s could be more than one of %s: %s; name the case in the tasks ([metadata.eval] case)", e.ID, e.Side, other, names)
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}

// joined says which cases of two runs are the same.
type joined struct {
	partner []int // of an old case, the index in the new run; -1 = none
	legacy  []bool
	lone    []int // new cases without a partner
}

// join finds the partner of each old case: by id, else by a legacy id of either side against an id or legacy id of the other. What could be joined in two ways is an error.
func join(was, now []orchestrator.Case) (*joined, error) {
	ids, err := byID("NEW", now)
	if err != nil {
		return nil, err
	}
	if _, err := byID("OLD", was); err != nil {
		return nil, err
	}
	j := &joined{partner: make([]int, len(was)), legacy: make([]bool, len(was))}
	taken := make([]bool, len(now))
	for i := range was {
		n, ok := ids[was[i].ID]
		if !ok {
			n = -1
		} else {
			taken[n] = true
		}
		j.partner[i] = n
	}
	if err := j.byLegacy(was, now, taken); err != nil {
		return nil, err
	}
	for n := range now {
		if !taken[n] {
			j.lone = append(j.lone, n)
		}
	}
	return j, nil
}

// byLegacy joins what ids did not.
func (j *joined) byLegacy(was, now []orchestrator.Case, taken []bool) error {
	names := map[string][]int{} // id or legacy id -> free new cases
	for n := range now {
		if taken[n] {
			continue
		}
		names[now[n].ID] = append(names[now[n].ID], n)
		if l := now[n].LegacyID; l != "" && l != now[n].ID {
			names[l] = append(names[l], n)
		}
	}
	claims := map[int][]int{} // new case -> old ones
	for i := range was {
		if j.partner[i] >= 0 {
			continue
		}
		// An id that is another's legacy id counts; ids that are the same would have been joined.
		found := slices.Clone(names[was[i].ID])
		if l := was[i].LegacyID; l != "" && l != was[i].ID {
			found = append(found, names[l]...)
		}
		slices.Sort(found)
		found = slices.Compact(found)
		if len(found) > 1 {
			return &AmbiguousError{Side: "OLD", ID: was[i].ID, Matches: idsOf(now, found)}
		}
		for _, n := range found {
			claims[n] = append(claims[n], i)
		}
	}
	for n := range now {
		switch old := claims[n]; {
		case len(old) > 1:
			return &AmbiguousError{Side: "NEW", ID: now[n].ID, Matches: idsOf(was, old)}
		case len(old) == 1:
			j.partner[old[0]], j.legacy[old[0]], taken[n] = n, true, true
		}
	}
	return nil
}

func idsOf(cases []orchestrator.Case, indexes []int) []string {
	var out []string
	for _, i := range indexes {
		out = append(out, cases[i].ID)
	}
	slices.Sort(out)
	return out
}

func byID(side string, cases []orchestrator.Case) (map[string]int, error) {
	ids := make(map[string]int, len(cases))
	for i := range cases {
		if _, twice := ids[cases[i].ID]; twice {
			return nil, &AmbiguousError{Side: side, ID: cases[i].ID}
		}
		ids[cases[i].ID] = i
	}
	return ids, nil
}
