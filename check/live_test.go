package check_test

import (
	"strings"
	"testing"

	"github.com/seatrial/seatrial/check"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
)

// tryout is a trial of a task with a solution: a score, or a code of what kept it from one.
func tryout(agent string, round int, score float64, code string) *orchestrator.LiveTrial {
	t := &orchestrator.LiveTrial{Task: &task.Task{Parts: []task.Part{{Solution: "solution", TestScript: "tests/test.sh"}}}, Dir: "t", Agent: agent, Round: round, Folder: "trials/x"}
	if name, ok := strings.CutPrefix(agent, "probe:"); ok {
		t.Probe = &task.Probe{Name: name, Dir: "tests/probes/" + name, Expect: task.Expect(name)}
	}
	t.Case.Status, t.Case.Score, t.Rewards = orchestrator.Complete, &score, "{}"
	t.Case.Scores = []verifier.Score{{Name: "reward", Value: &score}}
	if code != "" {
		t.Case.Status, t.Case.Score, t.Case.Scores, t.Case.Error = orchestrator.Incomplete, nil, nil, &orchestrator.Fault{Code: code, Phase: "verifier", Message: "so"}
	}
	return t
}

func TestVerdictsOnTests(t *testing.T) {
	t.Parallel()
	rewarded := func(l *orchestrator.LiveTrial, bytes string) *orchestrator.LiveTrial { l.Rewards = bytes; return l }
	unscored := func(l *orchestrator.LiveTrial) *orchestrator.LiveTrial { l.Case.Score = nil; return l }
	unsolved := func(l *orchestrator.LiveTrial) *orchestrator.LiveTrial { l.Task.Parts[0].Solution = ""; return l }
	barred := func(l *orchestrator.LiveTrial, pass, reference float64) *orchestrator.LiveTrial {
		l.Task.Config.Eval.PassBar, l.Task.Config.Eval.ReferenceBar = task.Opt[float64]{Set: true, Value: pass}, task.Opt[float64]{Set: true, Value: reference}
		return l
	}
	for _, c := range []struct {
		name   string
		trials []*orchestrator.LiveTrial
		want   string // codes
		says   string
	}{
		{"all as it must be", []*orchestrator.LiveTrial{tryout("nop", 1, 0, ""), tryout("oracle", 1, 1, ""), tryout("probe:pass", 1, 1, ""), tryout("probe:fail", 1, 0.9, ""), tryout("probe:variation", 1, 1, ""), tryout("probe:shortcut", 1, 0, "")}, "", ""},
		{"a start that passes", []*orchestrator.LiveTrial{tryout("nop", 1, 1, "")}, "start_passes", "a score of 1"},
		{"a start without a score does not pass", []*orchestrator.LiveTrial{unscored(tryout("nop", 1, 0, ""))}, "", ""},
		{"a solution that fails", []*orchestrator.LiveTrial{tryout("oracle", 1, 0.5, "")}, "reference_fails", "a score of 0.5, and its bar is 1: reward 0.5"},
		{"a solution without a score", []*orchestrator.LiveTrial{unscored(tryout("oracle", 1, 0, ""))}, "reference_fails", "no score"},
		{"a solution at its bar", []*orchestrator.LiveTrial{barred(tryout("oracle", 1, 0.8, ""), 0.7, 0.8)}, "", ""},
		{"a solution that passes below its bar", []*orchestrator.LiveTrial{barred(tryout("oracle", 1, 0.75, ""), 0.7, 0.8)}, "reference_fails", "its bar is 0.8"},
		{"probes that come out otherwise", []*orchestrator.LiveTrial{tryout("probe:pass", 1, 0, ""), tryout("probe:fail", 1, 1, ""), tryout("probe:variation", 1, 0.5, ""), tryout("probe:shortcut", 1, 1, "")}, "probe_wrong probe_wrong probe_wrong probe_wrong", "is to pass as a pass"},
		{"no verdict", []*orchestrator.LiveTrial{tryout("nop", 1, 0, "reward_missing")}, "live_incomplete", "reward_missing in phase verifier"},
		{"no verdict in a later round", []*orchestrator.LiveTrial{tryout("nop", 1, 0, ""), tryout("nop", 2, 0, "verifier_timeout")}, "live_incomplete", "in round 2"},
		{"no engine", []*orchestrator.LiveTrial{tryout("nop", 1, 0, orchestrator.CodeSandboxLost)}, "live_disturbed", "sandbox_lost"},
		{"a verdict that changes", []*orchestrator.LiveTrial{tryout("oracle", 1, 1, ""), tryout("oracle", 2, 0, ""), tryout("oracle", 3, 1, "")}, "flaky_verdict", "2 of 3 rounds"},
		{"rewards that change", []*orchestrator.LiveTrial{tryout("nop", 1, 0, ""), tryout("nop", 2, 0.5, "")}, "flaky_rewards", "reward 0 or 0.5"},
		{"bytes that change", []*orchestrator.LiveTrial{rewarded(tryout("nop", 1, 0, ""), "{}"), rewarded(tryout("nop", 2, 0, ""), "{ }")}, "flaky_rewards", "bytes"},
		{"no solution", []*orchestrator.LiveTrial{unsolved(tryout("nop", 1, 0, ""))}, "reference_missing", "no solution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var codes, text []string
			for _, f := range check.Live(&orchestrator.LiveRecord{Trials: c.trials}) {
				codes, text = append(codes, f.Code), append(text, f.Message)
				if f.Severity == "" || f.Remedy == "" || f.Task != "t" || f.File == "" {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(codes, " "); got != c.want || !strings.Contains(strings.Join(text, "\n"), c.says) {
				t.Errorf("%s: %q", got, text)
			}
		})
	}
}
