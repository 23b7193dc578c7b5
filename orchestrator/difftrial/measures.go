package difftrial

import (
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// timing compares durations. They vary by nature; that a phase took place in one trial alone is a difference.
func timing(was, now *orchestrator.TrialRecord) Section {
	s := section(Timing)
	a, b := &was.Case.Timing, &now.Case.Timing
	for _, p := range []struct {
		name     string
		old, new *float64
	}{
		{"build", a.Build, b.Build}, {"start", a.Start, b.Start}, {"prepare", a.Prepare, b.Prepare}, {"setup", a.Setup, b.Setup}, {"agent_setup", a.AgentSetup, b.AgentSetup}, {"agent", a.Agent, b.Agent},
		{"collect", a.Collect, b.Collect}, {"verifier", a.Verifier, b.Verifier}, {"teardown", a.Teardown, b.Teardown},
	} {
		if (p.old == nil) == (p.new == nil) {
			s.measured(p.name, unitSeconds, val(p.old), val(p.new))
			continue
		}
		s.add(Row{Name: p.name, Old: val(p.old), New: val(p.new), Unit: unitSeconds, Differs: true})
	}
	s.measured("queued", unitSeconds, val(a.Queued), val(b.Queued))
	s.measured("total", unitSeconds, a.Total, b.Total)
	for _, p := range sides(was, now) {
		if p.old != nil && p.new != nil {
			s.measured(p.name+".seconds", unitSeconds, p.old.exec.Seconds, p.new.exec.Seconds)
		}
	}
	s.measured("clock_gap_seconds", unitSeconds, val(was.ClockGap), val(now.ClockGap))
	return s
}

// resources compares what the commands used. Amounts vary by nature; limits, and how often one was hit, do not.
func resources(was, now *orchestrator.TrialRecord) Section {
	s := section(Resources)
	for _, p := range sides(was, now) {
		if p.old == nil || p.new == nil {
			continue // that it ran in one alone is said under exits
		}
		a, b, name := p.old.exec, p.new.exec, p.name+"."
		s.measured(name+"user_seconds", unitSeconds, a.UserSeconds, b.UserSeconds)
		s.measured(name+"system_seconds", unitSeconds, a.SystemSeconds, b.SystemSeconds)
		s.measured(name+"max_rss", unitKiB, a.MaxRSSKB, b.MaxRSSKB)
		s.counted(name+"oom_kills", "", val(a.OOMKills), val(b.OOMKills))
		s.counted(name+"changed_files", "", val(a.ChangedFiles), val(b.ChangedFiles))
		pressures(&s, name+"pressure.", a.Pressure, b.Pressure)
	}
	none := &orchestrator.Tokens{}
	a, b := was.Case.Result.Tokens, now.Case.Result.Tokens
	if a == nil {
		a = none
	}
	if b == nil {
		b = none
	}
	s.measured("tokens.input", "", val(a.Input), val(b.Input))
	s.measured("tokens.cached", "", val(a.Cached), val(b.Cached))
	s.measured("tokens.output", "", val(a.Output), val(b.Output))
	s.measured("cost", "", val(was.Case.Result.Cost), val(now.Case.Result.Cost))
	s.measured("engine_calls", "", was.EngineCalls, now.EngineCalls)
	s.measured("engine_retries", "", was.EngineRetries, now.EngineRetries)
	return s
}

func pressures(s *Section, name string, was, now *shim.Pressure) {
	a, b := shim.Pressure{}, shim.Pressure{}
	if was != nil {
		a = *was
	}
	if now != nil {
		b = *now
	}
	s.measured(name+"cpu_periods", "", val(a.CPUPeriods), val(b.CPUPeriods))
	s.measured(name+"cpu_throttled_periods", "", val(a.CPUThrottled), val(b.CPUThrottled))
	s.measured(name+"cpu_throttled_seconds", unitSeconds, val(a.ThrottledSec), val(b.ThrottledSec))
	s.measured(name+"memory_peak", unitBytes, val(a.MemoryPeak), val(b.MemoryPeak))
	s.counted(name+"memory_limit", unitBytes, val(a.MemoryLimit), val(b.MemoryLimit))
	s.counted(name+"pids_limit", "", val(a.PidsLimit), val(b.PidsLimit))
	s.counted(name+"pids_limit_hit", "", val(a.PidsHit), val(b.PidsHit))
	s.measured(name+"disk_free", unitBytes, val(a.DiskFree), val(b.DiskFree))
	s.measured(name+"load_before", "", val(a.LoadBefore), val(b.LoadBefore))
	s.measured(name+"load_after", "", val(a.LoadAfter), val(b.LoadAfter))
}
