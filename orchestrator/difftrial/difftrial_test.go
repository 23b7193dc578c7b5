package difftrial_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/difftrial"
	"github.com/seatrial/seatrial/verifier"
)

func TestForms(t *testing.T) {
	t.Parallel()
	worse := record("2")
	c := &worse.Case
	c.Score, c.Scores[0].Value, c.Scores[1].Value = ptr(0.5), ptr(0.5), ptr(0.25)
	c.Scores[1].Judge, c.Scores[1].Criteria[0].Value, c.Scores[1].Criteria[0].Reasoning = "j-2", ptr(0.0), "it does not"
	c.Scores = append(c.Scores, verifier.Score{Name: "tone", Status: "not_applicable"})
	c.Timing.Agent, c.Timing.Total, c.Timing.Build = ptr(6.0), 8.5, nil
	c.Warnings = []orchestrator.Warning{{Code: "agent_timed_out", Message: "the agent was cut off after 600.1 s"}}
	c.Task.Checksum = "sha256:9"
	a := worse.Agent
	a.Exit, a.Signal, a.Limit, a.Seconds, a.Leftovers, a.LeftoverCount, a.OOMKills, a.Pressure.MemoryLimit = ptr(137), "SIGKILL", "kill", 600.1, []string{"sleep", "sleep"}, 2, ptr(int64(1)), ptr(int64(2<<30))
	a.Stdout.Bytes, a.Stdout.Cut = 99<<20, 90<<20
	worse.Images = map[string]string{"main": "sha256:" + strings.Repeat("c", 64), "db": "sha256:bb"}
	worse.Limits[1].Seconds = 90
	worse.EnvNames = []string{"HOME", "OTHER"}
	worse.Restarts = []string{"the helper was killed"}
	files := logs()
	files["agent/stdout.log"] = "begin\nread\nwr\tite\nother\n"
	files["artifacts/a.txt"], files["artifacts/new/b"], files["artifacts/bin"] = "1\n2\nthree\n4\n5", "b", "\x00\x01"
	before := logs()
	before["artifacts/a.txt"], before["artifacts/old"], before["artifacts/bin"], before["artifacts/same"] = "1\n2\n3\n4\n5", "x", "\x00\x02\x03", "same"
	steps := func(id string, score float64) *orchestrator.TrialRecord {
		r := record(id)
		facts := r.StepFacts
		facts.Agent.Stdout.Path, facts.Agent.Stderr.Path, facts.Verifier.Stdout.Path, facts.Verifier.Stderr.Path = "steps/one/agent/stdout.log", "", "", ""
		r.StepFacts, r.Steps = orchestrator.StepFacts{}, []orchestrator.StepTrial{{Name: "one", StepFacts: facts}}
		r.Case.Steps = []orchestrator.StepResult{{Name: "one", Status: "complete", Score: &score, Scores: []verifier.Score{{Name: "reward", Value: &score, Status: "scored"}}}}
		if score < 1 {
			r.Case.Status, r.Case.Score, r.Case.Scores = orchestrator.Incomplete, nil, nil
			r.Case.Error = &orchestrator.Fault{Code: "setup_failed", Phase: "setup", Task: "two", Message: "setup.sh ended with 1\nafter 2.5 s"}
			r.Case.Steps = append(r.Case.Steps, orchestrator.StepResult{Name: "two", Status: "incomplete", Error: r.Case.Error})
			r.Steps[0].Verifier = nil
		}
		return r
	}
	for name, d := range map[string]*difftrial.Diff{
		"same":  compared(t, folder(t, record("1"), logs()), folder(t, record("2"), logs())),
		"worse": compared(t, folder(t, record("1"), before), folder(t, worse, files)),
		"only":  compared(t, folder(t, record("1"), before), folder(t, worse, files), "env", "files", "fakes"),
		"steps": compared(t, folder(t, steps("1", 1), map[string]string{"steps/one/agent/stdout.log": "a", "steps/one/artifacts/x": "1"}),
			folder(t, steps("2", 0), map[string]string{"steps/one/agent/stdout.log": "a\n", "steps/one/artifacts/x": "2"})),
	} {
		text, data := shown(t, d)
		golden.Compare(t, filepath.Join("testdata", name+".txt"), text)
		golden.Compare(t, filepath.Join("testdata", name+".json"), data)
	}
}

func TestWhatIsADifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(r *orchestrator.TrialRecord)
		want   string // the rows that differ
		equal  bool
	}{
		{"ids and times are none", func(r *orchestrator.TrialRecord) {
			r.RunID, r.TrialID, r.Containers = "x", "y", nil
			r.StartedAt = r.FinishedAt
			r.Case.Timing.Agent, r.Agent.Seconds, r.Agent.MaxRSSKB, r.EngineCalls = ptr(100.0), 99, 1, 20
		}, "", true},
		{"a score", func(r *orchestrator.TrialRecord) { r.Case.Score = ptr(0.5) }, "outcome score", false},
		{"a score that is gone", func(r *orchestrator.TrialRecord) { r.Case.Score = nil }, "outcome score", false},
		{"the last digit of a score", func(r *orchestrator.TrialRecord) { r.Case.Score = ptr(0.9999999999999999) }, "outcome score", false},
		{"an error", func(r *orchestrator.TrialRecord) {
			r.Case.Error = &orchestrator.Fault{Code: "internal", Phase: "agent"}
		}, "outcome error.code, outcome error.phase", false},
		{"a criterion", func(r *orchestrator.TrialRecord) { r.Case.Scores[1].Criteria[1].Value = nil }, "rewards truth: is short", false},
		{"a criterion that is gone", func(r *orchestrator.TrialRecord) { r.Case.Scores[1].Criteria = r.Case.Scores[1].Criteria[:1] }, "rewards truth: is short", false},
		{"a reason is none", func(r *orchestrator.TrialRecord) { r.Case.Scores[1].Criteria[0].Reasoning = "it does, after 2 s" }, "", true},
		{"an error of a judge", func(r *orchestrator.TrialRecord) { r.Case.Scores[1].Criteria[0].Error = "no answer" }, "rewards truth: says so, error", false},
		{"a dimension twice", func(r *orchestrator.TrialRecord) { r.Case.Scores = append(r.Case.Scores, r.Case.Scores[0]) }, "rewards reward #2", false},
		{"an exit code", func(r *orchestrator.TrialRecord) { r.Verifier.Exit = ptr(1) }, "exits verifier.exit", true},
		{"an exit code that is unknown", func(r *orchestrator.TrialRecord) { r.Verifier.Exit = nil }, "exits verifier.exit", true},
		{"a command that did not run", func(r *orchestrator.TrialRecord) { r.Verifier = nil }, "exits verifier", true},
		{"a phase that did not begin", func(r *orchestrator.TrialRecord) { r.Case.Timing.Verifier = nil }, "timing verifier", true},
		{"a process that was left over", func(r *orchestrator.TrialRecord) {
			r.Agent.Leftovers, r.Agent.LeftoverCount = []string{"sleep"}, 1
		}, "processes agent.leftover_count, processes agent.leftovers sleep", true},
		{"memory that was short", func(r *orchestrator.TrialRecord) { r.Agent.OOMKills = ptr(int64(2)) }, "resources agent.oom_kills", true},
		{"what was not measured is none", func(r *orchestrator.TrialRecord) { r.Agent.OOMKills, r.Agent.Pressure = nil, nil }, "", true},
		{"an image", func(r *orchestrator.TrialRecord) { r.Images["db"] = "sha256:cc" }, "images db", true},
		{"a service", func(r *orchestrator.TrialRecord) { delete(r.Images, "db") }, "images db", true},
		{"a limit", func(r *orchestrator.TrialRecord) { r.Limits[0].Seconds = 5 }, "limits agent", true},
		{"who set a limit", func(r *orchestrator.TrialRecord) { r.Limits[0].Source = "--agent-timeout" }, "limits agent", true},
		{"a variable", func(r *orchestrator.TrialRecord) { r.EnvNames = r.EnvNames[:1] }, "env TOKEN", true},
		{"a warning", func(r *orchestrator.TrialRecord) {
			r.Case.Warnings = []orchestrator.Warning{{Code: "clock_gap", Message: "5 s"}}
		}, "warnings clock_gap", true},
		{"fakes", func(r *orchestrator.TrialRecord) { r.Fakes = &orchestrator.FakesRecord{Calls: 1} }, "fakes fakes", true},
		{"the tests", func(r *orchestrator.TrialRecord) { r.TestsDigest = "sha256:3" }, "trial tests_digest", true},
		{"the judge", func(r *orchestrator.TrialRecord) { r.Case.Scores[1].Judge = "j-2" }, "trial truth: judge", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := record("2")
			c.change(now)
			was, is := folder(t, record("1"), logs()), folder(t, now, logs())
			d := compared(t, was, is)
			var got []string
			for _, s := range d.Sections {
				for _, r := range s.Rows {
					if r.Differs {
						got = append(got, s.Name+" "+r.Name)
					}
				}
			}
			if s := strings.Join(got, ", "); s != c.want || d.Equal != c.equal {
				t.Errorf("%q, equal %v; want %q, %v", s, d.Equal, c.want, c.equal)
			}
			for _, part := range difftrial.Parts() {
				if one := compared(t, was, is, part); one.Equal != c.equal {
					t.Errorf("with %s alone, equal is %v", part, one.Equal)
				}
			}
		})
	}
}

func TestAnInterruptEndsIt(t *testing.T) {
	t.Parallel()
	p := folder(t, record("1"), logs())
	why := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := difftrial.Compare(ctx, p, p, nil); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	p := folder(t, record("1"), logs())
	gone := *p
	gone.Name = "gone"
	for _, pair := range [][2]*orchestrator.TrialPlace{{p, &gone}, {&gone, p}} {
		if _, err := difftrial.Compare(t.Context(), pair[0], pair[1], nil); !errors.As(err, new(*orchestrator.UsageError)) {
			t.Errorf("error %v", err)
		}
	}
	out := *p
	out.Name = "../.."
	if _, err := difftrial.Compare(t.Context(), p, &out, nil); !errors.As(err, new(*orchestrator.UsageError)) {
		t.Errorf("error %v", err)
	}
}
