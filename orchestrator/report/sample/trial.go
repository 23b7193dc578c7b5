package sample

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// whole is a case, with its trials where there are several.
func (m *maker) whole(i int) (*orchestrator.Case, error) {
	if m.Trials == 1 {
		return m.trial(i, 0)
	}
	var sum float64
	out := orchestrator.Case{Status: orchestrator.Complete}
	for n := range m.Trials {
		t, err := m.trial(i, n+1)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			all := out.Trials
			out = *t
			out.Trial, out.Trials, out.Error = 0, all, nil
		}
		if t.Score != nil {
			sum += *t.Score
		}
		out.Trials = append(out.Trials, *t)
	}
	mean := sum / float64(m.Trials)
	out.Status, out.Score, out.Artifacts = orchestrator.Complete, &mean, orchestrator.Artifacts{}
	return &out, nil
}

// trial is one trial: of twenty two are incomplete, six are below 1, and one has no score.
func (m *maker) trial(i, n int) (*orchestrator.Case, error) {
	folder := fmt.Sprintf("trials/case-%05d-%d", i, n)
	id := fmt.Sprintf("case-%05d%s", i, m.Nasty)
	c := &orchestrator.Case{ID: id, LegacyID: "org/" + id, Runner: "harbor", Trial: n, Status: orchestrator.Complete, Scores: []verifier.Score{}, Warnings: []orchestrator.Warning{},
		Task: orchestrator.TaskRef{Path: "/tasks/" + id, Name: "org/" + id, Checksum: fmt.Sprintf("sha256:%064x", i)}, Tags: []string{fmt.Sprintf("area-%d", i%7), "speed-" + []string{"fast", "slow"}[i%2]},
		Artifacts: orchestrator.Artifacts{Trial: folder, Logs: folder + "/trial.log", Fakes: []string{}}}
	slices.Sort(c.Tags)
	cost, tokens, exit := float64(m.rand.IntN(10_000))/10_000, m.rand.Int64N(100_000), 0
	c.Result = orchestrator.Result{Cost: &cost, Tokens: &orchestrator.Tokens{Input: &tokens}, AgentExit: &exit}
	switch k := m.rand.IntN(20); {
	case k < 2:
		m.broken(c)
	case k < 8:
		m.scored(c, float64(m.rand.IntN(100))/100)
	case k < 9:
	default:
		m.scored(c, 1)
	}
	if m.rand.IntN(10) == 0 {
		c.Warnings = append(c.Warnings, orchestrator.Warning{Code: "agent_timed_out", Message: "the agent was ended by its limit" + m.Nasty})
	}
	start := m.lived(c, folder)
	return c, m.files(c, folder, start)
}

func (m *maker) broken(c *orchestrator.Case) {
	codes := []string{orchestrator.CodeBuildFailed, orchestrator.CodeSandboxLost, orchestrator.CodeRewardMissing, orchestrator.CodeVerifierTimeout}
	c.Status = orchestrator.Incomplete
	c.Error = &orchestrator.Fault{Code: codes[m.rand.IntN(len(codes))], Phase: "setup", Step: "build", Message: "Dockerfile:3: RUN make ended with exit code 2" + m.Nasty, Hint: "look at the last lines" + m.Nasty,
		Lines: []string{"make: *** no rule to make target", "stop." + m.Nasty}}
}

func (m *maker) scored(c *orchestrator.Case, v float64) {
	reason := strings.Repeat("The answer names the customer and the order, and says what will happen next. ", 1+m.rand.IntN(5))
	one := 1.0
	c.Score = &v
	c.Scores = []verifier.Score{
		{Name: "reward" + m.Nasty, Value: &v, Status: "scored", Kind: "llm", Judge: "judge-1", Criteria: []verifier.Criterion{{Name: "complete", Value: &v, Status: "scored", Reasoning: reason + m.Nasty}, {Name: "polite", Value: &one, Status: "scored", Reasoning: reason}}},
		{Name: "tone", Status: "not_applicable", Criteria: []verifier.Criterion{}},
	}
}

// lived gives a trial its time: in the slot that is free first, with phases one after the other.
func (m *maker) lived(c *orchestrator.Case, folder string) time.Time {
	slot := 0
	for i, t := range m.free {
		if t.Before(m.free[slot]) {
			slot = i
		}
	}
	start := m.free[slot]
	now, name, t := start, strings.TrimPrefix(folder, "trials/"), &c.Timing
	m.event(orchestrator.Event{Time: now, Kind: orchestrator.OnTrialStarted, Trial: name, CaseID: c.ID})
	for _, p := range []struct {
		phase orchestrator.Phase
		into  **float64
		most  int
	}{{orchestrator.PhaseBuild, &t.Build, 2000}, {orchestrator.PhaseStart, &t.Start, 1000}, {orchestrator.PhaseAgent, &t.Agent, 60_000}, {orchestrator.PhaseVerifier, &t.Verifier, 5000}, {orchestrator.PhaseCollect, &t.Collect, 500}, {orchestrator.PhaseTeardown, &t.Teardown, 500}} {
		d := time.Duration(1+m.rand.IntN(p.most)) * time.Millisecond
		s := d.Seconds()
		*p.into = &s
		m.event(orchestrator.Event{Time: now, Kind: orchestrator.OnPhaseStarted, Trial: name, CaseID: c.ID, Phase: p.phase})
		now = now.Add(d)
		m.event(orchestrator.Event{Time: now, Kind: orchestrator.OnPhaseFinished, Trial: name, CaseID: c.ID, Phase: p.phase, Seconds: s})
	}
	m.event(orchestrator.Event{Time: now, Kind: orchestrator.OnTrialFinished, Trial: name, CaseID: c.ID})
	setup := *t.Build + *t.Start
	t.Setup, t.Total = &setup, now.Sub(start).Seconds()
	m.free[slot] = now
	if now.After(m.last) {
		m.last = now
	}
	return start
}

// files writes what a trial's folder holds.
func (m *maker) files(c *orchestrator.Case, folder string, start time.Time) error {
	rec := orchestrator.TrialRecord{Format: orchestrator.TrialFormat, SchemaVersion: orchestrator.SchemaVersion, TrialID: folder, StartedAt: start, FinishedAt: start.Add(time.Duration(c.Timing.Total * float64(time.Second))), Case: *c}
	data, err := json.Marshal(&rec)
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	line := "\x1b[32mstep\x1b[0m: reading the order and writing an answer" + m.Nasty + "\n"
	for name, data := range map[string][]byte{"trial.json": data, "trial.log": []byte("level=INFO msg=started\n"), "agent/stdout.log": []byte(strings.Repeat(line, 1+m.rand.IntN(1000))),
		"agent/stderr.log": []byte("a warning\xff\n"), "verifier/test-stdout.txt": []byte("ok\n" + m.Nasty), "verifier/test-stderr.txt": nil} {
		if err := m.save(folder+"/"+name, data); err != nil {
			return err
		}
	}
	return nil
}
