package harbor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/harbor"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
)

func ptr[T any](v T) *T { return &v }

func began() time.Time { return time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC) }

func zone() *time.Location { return time.FixedZone("there", 2*60*60) }

// aCase is a case of the folder of tasks at /suite/core.
func aCase(id, status string, change func(*orchestrator.Case)) orchestrator.Case {
	c := orchestrator.Case{ID: id, LegacyID: "org/" + id, Runner: "harbor", Status: status, Task: orchestrator.TaskRef{Path: "/suite/core/" + id, Name: "org/" + id, Checksum: "sha256:" + strings.Repeat("ab", 32)},
		Timing: orchestrator.Timing{Build: ptr(1.5), Start: ptr(0.5), Agent: ptr(60.0), Verifier: ptr(3.0), Total: 66}, Artifacts: orchestrator.Artifacts{Trial: "trials/" + id}}
	if change != nil {
		change(&c)
	}
	return c
}

func scored(pairs map[string]float64) []verifier.Score {
	out := []verifier.Score{{Name: "not_asked", Status: verifier.StatusNotApplicable}}
	for name, v := range pairs {
		out = append(out, verifier.Score{Name: name, Value: &v, Status: verifier.StatusScored})
	}
	return out
}

// write makes a run's folder of records, and its files in Harbor's form.
func write(t testing.TB, dir string, run *orchestrator.RunRecord, trials ...orchestrator.TrialRecord) []orchestrator.Unread {
	t.Helper()
	for i := range trials {
		r := &trials[i]
		r.Format, r.SchemaVersion, r.RunID, r.TrialID = orchestrator.TrialFormat, orchestrator.SchemaVersion, run.RunID, r.Case.ID+"-1a2b"
		r.StartedAt, r.FinishedAt = began(), began().Add(66*time.Second)
		data, err := orchestrator.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		save(t, dir, r.Case.Artifacts.Trial+"/trial.json", string(data))
		if run.Spec.Trials <= 1 {
			run.Cases = append(run.Cases, r.Case)
		}
	}
	at, unread, err := harbor.Write(dir, run, zone())
	if err != nil || at != filepath.Join(dir, "trials") {
		t.Fatal(at, err)
	}
	return unread
}

func save(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func runRecord(agent string, planned int) *orchestrator.RunRecord {
	return &orchestrator.RunRecord{RunID: "r1", StartedAt: began(), FinishedAt: ptr(began().Add(5 * time.Minute)), Candidate: orchestrator.Candidate{Agent: agent, Version: "2.0", Model: ptr("acme/large")},
		Spec:    orchestrator.RunSpec{Path: []string{"core"}, Directory: "/suite", Trials: 1, Parallel: 4, MaxRetries: 2, Timeouts: map[string]any{"agent": 60.0, "multiplier": 2.0}},
		Summary: orchestrator.Summary{Planned: planned}}
}

// kinds are trials that came out differently.
func kinds() []orchestrator.TrialRecord {
	one := ptr(began().Add(3 * time.Second))
	return []orchestrator.TrialRecord{
		{Case: aCase("full", orchestrator.Complete, func(c *orchestrator.Case) {
			c.Scores, c.Score = scored(map[string]float64{"reward": 1, "style": 0.25}), ptr(1.0)
			c.Result = orchestrator.Result{Tokens: &orchestrator.Tokens{Input: ptr(int64(100)), Cached: ptr(int64(40)), Output: ptr(int64(7))}, Cost: ptr(0.02)}
			c.Timing.AgentSetup, c.Timing.Queued = ptr(4.0), ptr(10.0)
			c.Tries = []orchestrator.Try{{Code: orchestrator.CodeSandboxLost, Trial: "trials/full-0"}}
		}), StepFacts: orchestrator.StepFacts{Agent: &orchestrator.Exec{StartedAt: one, Seconds: 60}, Verifier: &orchestrator.Exec{StartedAt: ptr(one.Add(61 * time.Second)), Seconds: 2}}},
		{Case: aCase("cut-off", orchestrator.Complete, func(c *orchestrator.Case) {
			c.Scores, c.Score = scored(map[string]float64{"reward": 0}), ptr(0.0)
			c.Warnings = []orchestrator.Warning{{Code: "reward_txt"}, {Code: "agent_timed_out", Message: "the agent was ended after 60.0 s by its limit of 1m0s (--agent-timeout)"}}
		})},
		{Case: aCase("failing-agent", orchestrator.Complete, func(c *orchestrator.Case) {
			c.Scores, c.Score = scored(map[string]float64{"reward": 1e-7}), ptr(1e-7)
			c.Warnings = []orchestrator.Warning{{Code: orchestrator.CodeAgentError, Message: "the agent ended with exit code 2 after 1.5 s"}}
		})},
		{Case: aCase("broken", orchestrator.Incomplete, func(c *orchestrator.Case) {
			c.Timing = orchestrator.Timing{Build: ptr(2.0), Total: 2}
			c.Error = &orchestrator.Fault{Code: orchestrator.CodeBuildFailed, Phase: "setup", Step: "build", Message: "Dockerfile:3: RUN make ended with 2", Exit: ptr(2), Hint: "is make there?", Lines: []string{"make: no rule"}}
		})},
		{Case: aCase("fetched", orchestrator.Complete, func(c *orchestrator.Case) {
			c.Scores, c.Score = scored(map[string]float64{"reward": 1}), ptr(1.0)
			c.Task.Source = &orchestrator.TaskSource{Repository: "https://git.example/tasks.git", Commit: strings.Repeat("0a", 20), Path: "core/fetched"}
		})},
		{Case: aCase("stepped", orchestrator.Complete, func(c *orchestrator.Case) {
			c.Scores, c.Score = scored(map[string]float64{"reward": 0.5}), ptr(0.5)
			c.Steps = []orchestrator.StepResult{{Name: "one", Status: orchestrator.Complete, Scores: scored(map[string]float64{"reward": 0.5})},
				{Name: "two", Status: orchestrator.Incomplete, Error: &orchestrator.Fault{Code: orchestrator.CodeRewardMissing, Phase: "rewards", Message: "no reward"}}, {Name: "three", Status: orchestrator.Skipped}}
		}), Steps: []orchestrator.StepTrial{{Name: "one", StepFacts: orchestrator.StepFacts{Agent: &orchestrator.Exec{StartedAt: one, Seconds: 5, Limit: "term", LimitSeconds: 5}, Verifier: &orchestrator.Exec{StartedAt: one, Seconds: 1}}}, {Name: "two"}}},
	}
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), filepath.ToSlash(dir), "/RUN") + "\n"
}

func TestKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if unread := write(t, dir, runRecord("pi__agent", 6), kinds()...); unread != nil {
		t.Error(unread)
	}
	for _, name := range []string{"full/result.json", "full/config.json", "cut-off/result.json", "broken/result.json", "fetched/result.json", "fetched/config.json", "stepped/result.json", "result.json", "config.json"} {
		golden.Compare(t, filepath.Join("testdata", "kinds-"+strings.ReplaceAll(name, "/", "-")), read(t, dir, "trials/"+name))
	}
}

func TestTheChecksumIsHarborsWhileTheTaskIsAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := filepath.Join(dir, "task")
	save(t, dir, "task/task.toml", "version = \"1.0\"\n")
	ours, err := task.Digest(at)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := task.DirHash(at, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	with := func(path, sum string) orchestrator.TrialRecord {
		return orchestrator.TrialRecord{Case: aCase("a", orchestrator.Complete, func(c *orchestrator.Case) { c.Task.Path, c.Task.Checksum = path, sum })}
	}
	for _, c := range []struct{ name, path, sum, want string }{
		{"as it was", at, ours, theirs},
		{"changed since", at, "sha256:abc", "abc"},
		{"gone", at + "-none", ours, strings.TrimPrefix(ours, "sha256:")},
	} {
		run := t.TempDir()
		write(t, run, runRecord("oracle", 1), with(c.path, c.sum))
		if got := read(t, run, "trials/a/result.json"); !strings.Contains(got, `"task_checksum": "`+c.want+`"`) {
			t.Errorf("%s: want %s in %s", c.name, c.want, got)
		}
	}
}
