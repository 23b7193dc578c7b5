package harbor

import (
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

// phases are a trial's, in Harbor's four. Where the record says only how long a phase took, it is put after the one before it.
type phases struct{ environment, setup, agent, verifier *Timing }

func phasesOf(t *orchestrator.TrialRecord) phases {
	var p phases
	tm, at := &t.Case.Timing, t.StartedAt
	if tm.Queued != nil {
		at = at.Add(seconds(*tm.Queued))
	}
	if tm.Build != nil || tm.Start != nil {
		p.environment, at = span(at, add(tm.Build, tm.Start))
	}
	if tm.AgentSetup != nil {
		p.setup, at = span(at, *tm.AgentSetup)
	}
	if len(t.Case.Steps) > 0 {
		return p // each step has its own
	}
	if e := t.Agent; e != nil && e.StartedAt != nil {
		p.agent, at = span(*e.StartedAt, e.Seconds)
	} else if tm.Agent != nil {
		p.agent, at = span(at, *tm.Agent)
	}
	if e := t.Verifier; e != nil && e.StartedAt != nil {
		p.verifier, _ = span(*e.StartedAt, e.Seconds)
	} else if tm.Verifier != nil {
		p.verifier, _ = span(at, *tm.Verifier)
	}
	return p
}

// execTiming is when a command ran; nil when it did not.
func execTiming(e *orchestrator.Exec) *Timing {
	if e == nil || e.StartedAt == nil {
		return nil
	}
	t, _ := span(*e.StartedAt, e.Seconds)
	return t
}

func span(from time.Time, took float64) (*Timing, time.Time) {
	to := from.Add(seconds(took))
	return &Timing{StartedAt: utc(from), FinishedAt: utc(to)}, to
}

// seconds bounds what a record of somebody else may hold.
func seconds(v float64) time.Duration {
	const most = 1e9
	return time.Duration(min(max(v, 0), most) * float64(time.Second))
}

func add(a, b *float64) float64 {
	var sum float64
	for _, v := range []*float64{a, b} {
		if v != nil {
			sum += *v
		}
	}
	return sum
}
