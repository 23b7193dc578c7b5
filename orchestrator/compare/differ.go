package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// Difference is something besides the results that is not the same on both sides.
type Difference struct {
	What string `json:"what"` // one of Kinds
	Of   string `json:"of,omitempty"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Kinds are all that can differ, first of runs, then of cases.
func Kinds() []string {
	return []string{"agent", "agent_version", "model", "trials", "rewards", "fresh_steps", "timeouts", "images", "observed_model", "task_checksum", "contract_version", "score_derived"}
}

// none stands for what is not there.
const none = "none"

func ofRuns(was, now *orchestrator.RunRecord) []Difference {
	d := differences{}
	d.add("agent", "", was.Candidate.Agent, now.Candidate.Agent)
	d.add("agent_version", "", was.Candidate.Version, now.Candidate.Version)
	d.add("model", "", text(was.Candidate.Model), text(now.Candidate.Model))
	d.add("trials", "", strconv.Itoa(was.Spec.Trials), strconv.Itoa(now.Spec.Trials))
	d.add("rewards", "", was.Spec.Rewards, now.Spec.Rewards)
	d.add("fresh_steps", "", strconv.FormatBool(was.Spec.FreshSteps), strconv.FormatBool(now.Spec.FreshSteps))
	d.add("timeouts", "", limits(was.Spec.Timeouts), limits(now.Spec.Timeouts))
	for _, ref := range slices.Sorted(maps.Keys(was.Environment.Images)) {
		if id, ok := now.Environment.Images[ref]; ok {
			d.add("images", ref, was.Environment.Images[ref], id)
		}
	}
	return d
}

// ofCases are the differences of a pair. Those in the number of trials count only where the runs wanted the same number.
func ofCases(was, now *orchestrator.Case, sameTrials bool) []Difference {
	d := differences{}
	if sameTrials {
		d.add("trials", "", strconv.Itoa(max(1, len(was.Trials))), strconv.Itoa(max(1, len(now.Trials))))
	}
	if was.Result.ObservedModel != nil && now.Result.ObservedModel != nil {
		d.add("observed_model", "", *was.Result.ObservedModel, *now.Result.ObservedModel)
	}
	if was.Task.Checksum != "" && now.Task.Checksum != "" {
		d.add("task_checksum", "", was.Task.Checksum, now.Task.Checksum)
	}
	if was.Status == orchestrator.Complete && now.Status == orchestrator.Complete {
		d.add("contract_version", "", version(was.ContractVersion), version(now.ContractVersion))
		d.add("score_derived", "", strconv.FormatBool(was.ScoreDerived), strconv.FormatBool(now.ScoreDerived))
	}
	return d
}

type differences []Difference

func (d *differences) add(what, of, was, now string) {
	if was != now {
		*d = append(*d, Difference{What: what, Of: of, Old: cmp.Or(was, none), New: cmp.Or(now, none)})
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func version(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}

func limits(m map[string]any) string {
	data, err := json.Marshal(m) // sorted by key
	if err != nil || len(m) == 0 {
		return ""
	}
	return string(data)
}

// StrictError says that runs differ in more than they may.
type StrictError struct{ Differences []string }

func (e *StrictError) Error() string {
	const most = 5
	s := "the runs differ in more than their results: " + strings.Join(e.Differences[:min(most, len(e.Differences))], "; ")
	if more := len(e.Differences) - most; more > 0 {
		s += fmt.Sprintf("; and %d more", more)
	}
	return s
}

// Strict is a *StrictError where anything differs besides the results and the kinds that may, else nil.
func (c *Comparison) Strict(vary []string) error {
	var found []string
	note := func(of string, all []Difference) {
		for _, d := range all {
			if !slices.Contains(vary, d.What) {
				found = append(found, of+d.String())
			}
		}
	}
	note("", c.Differences)
	for i := range c.Cases {
		note(fmt.Sprintf("case %q: ", c.Cases[i].ID), c.Cases[i].Differences)
	}
	if len(found) == 0 {
		return nil
	}
	return &StrictError{Differences: found}
}

// String is the difference in a few words, safe for a terminal.
func (d Difference) String() string {
	what := d.What
	if d.Of != "" {
		what += " " + clean(d.Of)
	}
	return what + " " + clean(d.Old) + " -> " + clean(d.New)
}
