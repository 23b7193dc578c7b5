package score

import (
	"fmt"
	"math"
)

// timeDecay is 1 - used / limit, from 0 to 1; 1 where a clock went back.
func (d *dimension) timeDecay(seconds *float64) (Outcome, error) {
	if seconds == nil {
		return Outcome{}, &SpecError{d.name, "time_limit_secs", "the agent's time is not known; give it with --time"}
	}
	if math.IsNaN(*seconds) || math.IsInf(*seconds, 0) {
		return Outcome{}, &SpecError{d.name, "time_limit_secs", "the agent's time is no number"}
	}
	// One division, so that 90 of 100 seconds are 0.1.
	v := max(0, min(1, (d.timeLimit-*seconds)/d.timeLimit))
	return Outcome{Value: v, Why: fmt.Sprintf("%g of %g seconds were used", *seconds, d.timeLimit)}, nil
}
