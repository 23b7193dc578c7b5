package compare

import (
	"fmt"

	"github.com/seatrial/seatrial/orchestrator"
)

// Gates are what a comparison must hold.
type Gates struct {
	// Off lets regressions pass.
	Off bool
	// MaxRegressions is how many are let pass.
	MaxRegressions int
	// MinScore is the least mean score of the new run; nil = any.
	MinScore *float64
}

// Exit is the program's exit code for a comparison, with the reasons where it is not ExitOK. A comparison in which nothing could be compared says nothing, and is never ExitOK.
func (c *Comparison) Exit(g Gates) (code int, reasons []string) {
	if c.Counts.Compared == 0 {
		why := "no case of NEW has a partner in OLD with which it can be compared"
		if c.New.Incomplete > 0 || c.New.Missing > 0 {
			why += fmt.Sprintf("; %d of its cases are incomplete, %d were not run", c.New.Incomplete, c.New.Missing)
		}
		return orchestrator.ExitIncomplete, []string{why}
	}
	if n := c.Counts.Regressions; !g.Off && n > g.MaxRegressions {
		reasons = append(reasons, fmt.Sprintf("%s, and at most %d let pass", plural(n, "regression"), g.MaxRegressions))
	}
	if m := c.New.MeanScore; g.MinScore != nil && (m == nil || *m < *g.MinScore) {
		reasons = append(reasons, fmt.Sprintf("the mean score of NEW is %s, and %s is wanted", numberOr(m), number(*g.MinScore)))
	}
	if len(reasons) > 0 {
		return orchestrator.ExitGate, reasons
	}
	return orchestrator.ExitOK, nil
}
