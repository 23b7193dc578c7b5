package difftrial

import (
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// trials compares what was tried: the case, the task's files, the agent, and how scores came about.
func trials(was, now *orchestrator.TrialPlace) Section {
	s := section(Trial)
	a, b := was.Record, now.Record
	s.detail("case", some(a.Case.ID), some(b.Case.ID))
	s.detail("task.name", some(a.Case.Task.Name), some(b.Case.Task.Name))
	s.detail("task.checksum", some(a.Case.Task.Checksum), some(b.Case.Task.Checksum))
	agents(&s, was, now)
	s.detail("observed_model", val(a.Case.Result.ObservedModel), val(b.Case.Result.ObservedModel))
	s.detail("network", some(a.Network), some(b.Network))
	s.detail("synthetic", a.Synthetic, b.Synthetic)
	s.detail("tool.version", some(a.Tool.Version), some(b.Tool.Version))
	s.detail("tool.commit", some(a.Tool.Commit), some(b.Tool.Commit))
	tests(&s, "", &a.StepFacts, &b.StepFacts)
	for _, p := range join(a.Steps, b.Steps, func(t *orchestrator.StepTrial) string { return t.Name }) {
		if p.old != nil && p.new != nil {
			tests(&s, "steps."+p.name+".", &p.old.StepFacts, &p.new.StepFacts)
		}
	}
	for _, p := range join(a.Case.Scores, b.Case.Scores, func(d *verifier.Score) string { return d.Name }) {
		if p.old != nil && p.new != nil {
			s.detail(p.name+": kind", some(p.old.Kind), some(p.new.Kind))
			s.detail(p.name+": judge", some(p.old.Judge), some(p.new.Judge))
		}
	}
	return s
}

// agents compares who did the work, where both trials have a lock that can be read.
func agents(s *Section, was, now *orchestrator.TrialPlace) {
	x, err := orchestrator.ReadLock(was)
	if err != nil {
		return
	}
	y, err := orchestrator.ReadLock(now)
	if err != nil {
		return
	}
	a, b := &x.Agent, &y.Agent
	s.detail("agent", some(a.Name), some(b.Name))
	s.detail("agent.version", some(a.Version), some(b.Version))
	s.detail("agent.command", some(a.Command), some(b.Command))
	s.detail("model", some(a.Model), some(b.Model))
}

func tests(s *Section, name string, was, now *orchestrator.StepFacts) {
	s.detail(name+"tests_digest", some(was.TestsDigest), some(now.TestsDigest))
	s.detail(name+"reward_file", some(was.RewardFile), some(now.RewardFile))
}

// exits compares how commands ended.
func exits(was, now *orchestrator.TrialRecord) Section {
	s := section(Exits)
	for _, p := range sides(was, now) {
		if p.old == nil || p.new == nil {
			s.value(p.name, ran(p.old), ran(p.new))
			continue
		}
		a, b, name := p.old.exec, p.new.exec, p.name+"."
		x, y := exit(a), exit(b)
		s.value(name+"exit", x, y)
		s.value(name+"signal", some(a.Signal), some(b.Signal))
		s.value(name+"limit_fired", some(a.Limit), some(b.Limit))
		s.value(name+"start_error", some(a.StartError), some(b.StartError))
	}
	return s
}

func ran(c *command) any {
	if c == nil {
		return "not run"
	}
	return "run"
}

func exit(e *orchestrator.Exec) any {
	if e.Exit == nil {
		return "unknown"
	}
	return *e.Exit
}

// processes compares what was still alive, or left, when commands ended.
func processes(was, now *orchestrator.TrialRecord) Section {
	s := section(Processes)
	for _, p := range sides(was, now) {
		if p.old == nil || p.new == nil {
			continue
		}
		a, b, name := p.old.exec, p.new.exec, p.name+"."
		s.detail(name+"leftover_count", a.LeftoverCount, b.LeftoverCount)
		x, y := count(a.Leftovers), count(b.Leftovers)
		for _, k := range keys(x, y) {
			s.detail(name+"leftovers "+k, x[k], y[k])
		}
	}
	x, y := count(was.Restarts), count(now.Restarts)
	for _, k := range keys(x, y) {
		s.detail("restarts: "+k, x[k], y[k])
	}
	s.detail("leaks", len(was.Leaks), len(now.Leaks))
	s.detail("kept", was.Kept, now.Kept)
	s.detail("tries", len(was.Case.Tries), len(now.Case.Tries))
	return s
}

// images compares the images of the services by their ids.
func images(was, now *orchestrator.TrialRecord) Section {
	s := section(Images)
	for _, k := range keys(was.Images, now.Images) {
		s.detail(k, at(was.Images, k), at(now.Images, k))
	}
	return s
}

// limits compares the limits and who set them.
func limits(was, now *orchestrator.TrialRecord) Section {
	s := section(Limits)
	name := func(l *orchestrator.LimitRecord) string {
		if l.Step != "" {
			return "steps." + l.Step + "." + l.Phase
		}
		return l.Phase
	}
	for _, p := range join(was.Limits, now.Limits, name) {
		s.detail(p.name, limit(p.old), limit(p.new))
	}
	return s
}

func limit(l *orchestrator.LimitRecord) any {
	if l == nil {
		return nil
	}
	text := strconv.FormatFloat(l.Seconds, 'g', -1, 64) + " s"
	if l.Source != "" {
		text += " (" + l.Source + ")"
	}
	return text
}

// env compares the names of variables. Their values are not recorded.
func env(was, now *orchestrator.TrialRecord) Section {
	s := section(Env)
	x, y := count(was.EnvNames), count(now.EnvNames)
	for _, k := range keys(x, y) {
		s.detail(k, given(x[k]), given(y[k]))
	}
	return s
}

func given(n int) any {
	if n == 0 {
		return nil
	}
	return "given"
}

// warnings compares the warnings by their codes. Their texts vary by nature.
func warnings(was, now *orchestrator.TrialRecord) Section {
	s := section(Warnings)
	for _, p := range join(was.Case.Warnings, now.Case.Warnings, func(w *orchestrator.Warning) string { return w.Code }) {
		if p.old != nil && p.new != nil {
			s.varying(p.name, p.old.Message, p.new.Message)
			continue
		}
		s.detail(p.name, message(p.old), message(p.new))
	}
	x, y := count(was.Collected.Skipped), count(now.Collected.Skipped)
	for _, k := range keys(x, y) {
		s.detail("not collected: "+k, x[k], y[k])
	}
	return s
}

func message(w *orchestrator.Warning) any {
	if w == nil {
		return nil
	}
	return w.Message
}

// fakes compares what the fakes saw.
func fakes(was, now *orchestrator.TrialRecord) Section {
	s := section(Fakes)
	a, b := was.Fakes, now.Fakes
	if a == nil && b == nil {
		return s
	}
	if a == nil || b == nil {
		s.value("fakes", a != nil, b != nil)
		return s
	}
	s.value("scenario", some(a.Scenario), some(b.Scenario))
	s.value("servers", some(strings.Join(a.Servers, ", ")), some(strings.Join(b.Servers, ", ")))
	s.value("calls", a.Calls, b.Calls)
	s.value("writes", a.Writes, b.Writes)
	s.value("violations", a.Violations, b.Violations)
	return s
}
