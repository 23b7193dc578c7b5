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
	rec := &TrialRecord{Format: TrialFormat, SchemaVersion: SchemaVersion, RunID: r.Folder.RunID, TrialID: id, StartedAt: started.UTC(), Tool: r.Tool, Synthetic: r.Synthetic,
		Images: map[string]string{}, imageRefs: map[string]string{}, Containers: map[string]string{}, Network: string(p.Network), Leaks: []string{}, Restarts: []string{}}
	rec.Limits = limitRecords(p)
	rec.EnvNames = []string{}
	names := map[string]bool{}
	for _, m := range append([]map[string]string{p.Env, p.AgentEnv}, p.verifierEnvs()...) {
		for k := range m {
			names[k] = true
		}
	}
	rec.EnvNames = slices.AppendSeq(rec.EnvNames, maps.Keys(names))
	slices.Sort(rec.EnvNames)
	rec.Collected.Skipped = []string{}
	rec.Case = Case{ID: p.CaseID, LegacyID: p.LegacyID, Runner: "harbor", Task: TaskRef{Path: p.Task.Dir, Name: p.Task.Name, Checksum: p.Checksum, Source: p.Source},
		Status: Incomplete, Scores: []verifier.Score{}, Warnings: []Warning{}, Artifacts: Artifacts{Fakes: []string{}}, Tags: p.Task.Config.Tags(), Trial: p.Trial, Tries: p.Tries}
	if p.MultiStep() {
		for i := range p.Steps {
			rec.Steps = append(rec.Steps, StepTrial{Name: p.Steps[i].Part.Name})
			rec.Case.Steps = append(rec.Case.Steps, StepResult{Name: p.Steps[i].Part.Name, Status: Skipped, Scores: []verifier.Score{}})
		}
	}
	return rec
}

// limitRecords are the limits that hold, those of steps with the step's name.
func limitRecords(p *Plan) []LimitRecord {
	var out []LimitRecord
	add := func(step string, limits map[Phase]Limit) {
		for _, phase := range phases() {
			if l, ok := limits[phase]; ok {
				out = append(out, LimitRecord{Phase: string(phase), Step: step, Seconds: l.Value.Seconds(), Source: l.Source})
			}
		}
	}
	if !p.MultiStep() {
		all := maps.Clone(p.Limits)
		maps.Copy(all, p.Steps[0].Limits)
		delete(all, PhasePrepare)
		add("", all)
		return out
	}
	add("", p.Limits)
	for i := range p.Steps {
		add(p.Steps[i].Part.Name, p.Steps[i].Limits)
	}
	return out
}

// finish completes the record's times and counts.
func (t *trial) finish(started time.Time) {
	c := &t.rec.Case
	now := time.Now()
	c.Timing.Total = (now.Sub(started) - t.queued - t.paused).Seconds()
	if s := t.queued.Seconds(); s >= leastQueued {
		c.Timing.Queued = &s
	}
	t.rec.FinishedAt = started.UTC().Add(now.Sub(started)) // the monotonic clock decides, so that it is never before the start
	if gap := now.Round(0).Sub(started.Round(0)) - now.Sub(started); gap > suspectGap || gap < -suspectGap {
		s := gap.Seconds()
		t.rec.ClockGap = &s
		t.warn("clock_gap", "the wall clock and the monotonic clock disagree: the machine was probably suspended, or its clock was set")
	}
	t.rec.EngineCalls, t.rec.EngineRetries = t.tally.Calls(), t.rec.moved+t.tally.Retries()
}

// leastQueued is the least that a trial must have waited for room for that to be recorded, in seconds.
const leastQueued = 0.001

// artifacts names the files that are in the trial's folder.
func (t *trial) artifacts() {
	c := &t.rec.Case
	c.Artifacts.Trial = "trials/" + t.plan.Folder
	c.Artifacts.Logs = t.artifactPath("trial.log")
	for i := range t.plan.Steps {
		files, facts := &c.Artifacts.StepArtifacts, &t.rec.StepFacts
		if t.plan.MultiStep() {
			files, facts = &c.Steps[i].Artifacts, &t.rec.Steps[i].StepFacts
		}
		dir := t.plan.Steps[i].Folder()
		files.Trajectory = t.artifactPath(dir, "agent", "trajectory.json")
		files.Details = t.artifactPath(dir, "verifier", verifier.DetailsName)
		files.Grade = t.artifactPath(dir, "verifier", "grade.json")
		if facts.RewardFile != "" {
			files.Rewards = t.artifactPath(dir, "verifier", facts.RewardFile)
		}
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
	case PhaseInstall:
		add(&tm.AgentSetup)
		add(&tm.Setup)
	case PhaseStart:
		add(&tm.Start)
		add(&tm.Setup)
	case PhasePrepare:
		add(&tm.Prepare)
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
	r := verifier.Run{Script: t.step.plan.verifierScript(), OOMKills: -1, Limit: t.limit(PhaseVerifier).Value, LimitSource: t.limit(PhaseVerifier).Source}
	res := t.step.rewards.tests.res
	if res == nil {
		r.Lost = true
		return r
	}
	if res.Start != nil {
		r.StartKind, r.StartDetail = res.Start.Kind, res.Start.Detail
	}
	r.Exit, r.Signal, r.OOMKills, r.LimitFired = res.Exit, res.Signal, res.OOMKills, res.Limit != ""
	r.Duration = time.Duration(res.Seconds * float64(time.Second))
	lines := slices.DeleteFunc(sidecar.TailLines(t.dir.Tail(t.step.host("verifier", "test-stdout.txt"), t.step.host("verifier", "test-stderr.txt")), 21), func(l string) bool {
		return strings.HasPrefix(l, ourMark)
	})
	r.Output = strings.Join(lines, "\n")
	return r
}
