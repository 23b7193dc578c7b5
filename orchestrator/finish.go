package orchestrator

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/verifier"
)

// suspectGap is how far the wall clock may run away from the monotonic one in a trial before a suspended machine is suspected.
const suspectGap = 5 * time.Second

func newTrialRecord(r *Runner, p *Plan, id string, started time.Time) *TrialRecord {
	rec := &TrialRecord{Format: TrialFormat, SchemaVersion: SchemaVersion, RunID: r.Folder.RunID, TrialID: id, StartedAt: started.UTC(), Tool: r.Tool,
		Images: map[string]string{}, imageRefs: map[string]string{}, Containers: map[string]string{}, Network: string(p.Network), Leaks: []string{}, Restarts: []string{}}
	for _, phase := range []Phase{PhaseBuild, PhaseStart, PhaseAgent, PhaseCollect, PhaseVerifier, PhaseRewards, PhaseTeardown} {
		l := p.Limits[phase]
		rec.Limits = append(rec.Limits, LimitRecord{Phase: string(phase), Seconds: l.Value.Seconds(), Source: l.Source})
	}
	rec.EnvNames = []string{}
	names := map[string]bool{}
	for _, m := range []map[string]string{p.Env, p.AgentEnv, p.VerifierEnv} {
		for k := range m {
			names[k] = true
		}
	}
	rec.EnvNames = slices.AppendSeq(rec.EnvNames, maps.Keys(names))
	slices.Sort(rec.EnvNames)
	rec.Collected.Skipped = []string{}
	rec.Case = Case{ID: p.CaseID, LegacyID: p.LegacyID, Runner: "harbor", Task: TaskRef{Path: p.Task.Dir, Name: p.Task.Name, Checksum: p.Checksum},
		Status: Incomplete, Scores: []verifier.Score{}, Warnings: []Warning{}, Artifacts: Artifacts{Fakes: []string{}}}
	return rec
}

// finish completes the record's times and counts.
func (t *trial) finish(started time.Time, calls int64) {
	c := &t.rec.Case
	now := time.Now()
	c.Timing.Total = now.Sub(started).Seconds()
	t.rec.FinishedAt = started.UTC().Add(now.Sub(started)) // the monotonic clock decides, so that it is never before the start
	if gap := now.Round(0).Sub(started.Round(0)) - now.Sub(started); gap > suspectGap || gap < -suspectGap {
		s := gap.Seconds()
		t.rec.ClockGap = &s
		t.warn("clock_gap", "the wall clock and the monotonic clock disagree: the machine was probably suspended, or its clock was set")
	}
	t.rec.EngineCalls = t.Engine.Calls() - calls
	t.rec.EngineRetries = t.rec.moved + retries(t.Engine) - t.retried
}

// artifacts names the files that are in the trial's folder.
func (t *trial) artifacts() {
	c := &t.rec.Case
	c.Artifacts.Trial = "trials/" + t.plan.Folder
	c.Artifacts.Logs = t.artifactPath("trial.log")
	c.Artifacts.Trajectory = t.artifactPath("agent", "trajectory.json")
	c.Artifacts.Details = t.artifactPath("verifier", verifier.DetailsName)
	c.Artifacts.Grade = t.artifactPath("verifier", "grade.json")
	if t.rec.RewardFile != "" {
		c.Artifacts.Rewards = t.artifactPath("verifier", t.rec.RewardFile)
	}
}

// timing adds to a phase's time.
func (t *trial) timing(phase Phase, took time.Duration) {
	tm := &t.rec.Case.Timing
	s := took.Seconds()
	add := func(into **float64) {
		v := s
		if *into != nil {
			v += **into
		}
		*into = &v
	}
	switch phase {
	case PhaseBuild:
		add(&tm.Build)
		add(&tm.Setup)
	case PhaseStart:
		add(&tm.Start)
		add(&tm.Setup)
	case PhaseAgent:
		add(&tm.Agent)
	case PhaseCollect:
		add(&tm.Collect)
	case PhaseVerifier:
		add(&tm.Verifier)
	case PhaseTeardown:
		add(&tm.Teardown)
	case PhaseRewards:
	}
}

// testRun is how the tests went.
func (t *trial) testRun() verifier.Run {
	r := verifier.Run{Script: "tests/test.sh", OOMKills: -1, Limit: t.plan.Limits[PhaseVerifier].Value, LimitSource: t.plan.Limits[PhaseVerifier].Source}
	res := t.rewards.tests.res
	if res == nil {
		r.Lost = true
		return r
	}
	if res.Start != nil {
		r.StartKind, r.StartDetail = res.Start.Kind, res.Start.Detail
	}
	r.Exit, r.Signal, r.OOMKills, r.LimitFired = res.Exit, res.Signal, res.OOMKills, res.Limit != ""
	r.Duration = time.Duration(res.Seconds * float64(time.Second))
	lines := slices.DeleteFunc(sidecar.TailLines(t.dir.Tail("verifier/test-stdout.txt", "verifier/test-stderr.txt"), 21), func(l string) bool {
		return strings.HasPrefix(l, ourMark)
	})
	r.Output = strings.Join(lines, "\n")
	return r
}
