package report

import (
	"strconv"

	"github.com/seatrial/seatrial/orchestrator"
)

// Trials are the trials of a run one by one: each case itself, or each of its trials where the run does several of a case.
func Trials(cases []orchestrator.Case) []*orchestrator.Case {
	var out []*orchestrator.Case
	for i := range cases {
		c := &cases[i]
		if len(c.Trials) == 0 {
			out = append(out, c)
			continue
		}
		for j := range c.Trials {
			out = append(out, &c.Trials[j])
		}
	}
	return out
}

// Name is the id of a trial's case, with the trial's number where there are several.
func Name(c *orchestrator.Case) string {
	if c.Trial == 0 {
		return c.ID
	}
	return c.ID + " [trial " + strconv.Itoa(c.Trial) + "]"
}
