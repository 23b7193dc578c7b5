package task

import (
	"fmt"
	"math"
	"time"
)

// The limits that hold where a task sets none. Harbor's are the same, but for the agent: there it has none, and a
// trial that cannot end is of no use.
const (
	DefaultBuildTimeout      = 600 * time.Second
	DefaultAgentSetupTimeout = 360 * time.Second
	DefaultAgentTimeout      = 24 * time.Hour
	DefaultVerifierTimeout   = 600 * time.Second
	DefaultCollectTimeout    = 60 * time.Second
)

const byDefault = "default"

// Limit is a time limit and where it comes from.
type Limit struct {
	Value time.Duration
	// Source reads as "task.toml [agent] timeout_sec" or "default".
	Source string
}

// Timeouts are the limits of the phases of one step.
type Timeouts struct {
	// Build limits build and start of an environment, a separate verifier's too.
	Build Limit
	// AgentSetup limits what an agent does before its first run.
	AgentSetup Limit
	Agent      Limit
	Verifier   Limit
}

// Timeouts returns the limits of a step. A step's limit wins over the task's, and the task's over the default. For the
// verifier that is what Harbor documents; its code takes the default instead of the task's.
func (c *Config) Timeouts(step int) Timeouts {
	s := c.at(step)
	return Timeouts{
		Build:      limit(c.Environment.BuildTimeout, "task.toml [environment] build_timeout_sec", Limit{DefaultBuildTimeout, byDefault}),
		AgentSetup: Limit{DefaultAgentSetupTimeout, byDefault},
		Agent: limit(s.Agent.Timeout, s.source("agent", "timeout_sec"),
			limit(c.Agent.Timeout, "task.toml [agent] timeout_sec", Limit{DefaultAgentTimeout, byDefault})),
		Verifier: limit(s.Verifier.Timeout, s.source("verifier", "timeout_sec"),
			limit(c.Verifier.Timeout, "task.toml [verifier] timeout_sec", Limit{DefaultVerifierTimeout, byDefault})),
	}
}

func limit(o Opt[time.Duration], source string, other Limit) Limit {
	if !o.Set {
		return other
	}
	return Limit{Value: o.Value, Source: source}
}

// Change is how a run changes a limit. Fields that are zero change nothing.
type Change struct {
	Override Limit
	Cap      Limit
	// Factor is above 0 and finite; any other value changes nothing.
	Factor       float64
	FactorSource string
}

// With returns the limit after a change: min(override or limit, cap) times the factor, as Harbor has it. The source
// tells each part that had a say. A result too large for a duration is the largest one.
func (l Limit) With(c Change) Limit {
	if c.Override.Value > 0 {
		l = c.Override
	}
	if c.Cap.Value > 0 && c.Cap.Value < l.Value {
		l = Limit{Value: c.Cap.Value, Source: l.Source + ", capped by " + c.Cap.Source}
	}
	if c.Factor > 0 && c.Factor != 1 && !math.IsInf(c.Factor, 0) {
		l = Limit{Value: scale(l.Value, c.Factor), Source: fmt.Sprintf("%s, times %g by %s", l.Source, c.Factor, c.FactorSource)}
	}
	return l
}

func scale(d time.Duration, factor float64) time.Duration {
	f := math.Round(float64(d) * factor)
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, time.Duration(f))
}
