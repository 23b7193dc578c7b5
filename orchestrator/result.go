package orchestrator

import (
	"strconv"
	"strings"
)

// Outcome is what a trial came to, in short.
type Outcome struct {
	Status string   `json:"status"`
	Score  *float64 `json:"score"`
	Code   string   `json:"code,omitempty"` // of the error
}

// OutcomeOf is what a case, or one of its trials, came to.
func OutcomeOf(c *Case) Outcome {
	o := Outcome{Status: c.Status, Score: c.Score}
	if c.Error != nil {
		o.Code = c.Error.Code
	}
	return o
}

// Same says whether two outcomes are the same.
func (o Outcome) Same(other Outcome) bool { return o.String() == other.String() }

// String is "score 0.5", "complete without a score" or "incomplete (agent_timeout)".
func (o Outcome) String() string {
	switch {
	case o.Status == Complete && o.Score != nil:
		return "score " + strconv.FormatFloat(*o.Score, 'g', -1, 64)
	case o.Status == Complete:
		return "complete without a score"
	case o.Code != "":
		return o.Status + " (" + o.Code + ")"
	}
	return strings.TrimSpace(o.Status + " ")
}
