package e2e_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// demos are the tasks that show each kind of outcome.
func demos(t *testing.T) []string {
	t.Helper()
	return []string{demo(t, "failing-agent"), demo(t, "hello"), demo(t, "partial"), demo(t, "sidecar")}
}

func TestTheDemoTasksScoreAsTheySay(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demos(t)...)
	got := map[string]float64{}
	for _, c := range r.record.Cases {
		if c.Score == nil {
			t.Errorf("%s has no score: %+v", c.ID, c.Error)
			continue
		}
		got[c.ID] = *c.Score
	}
	want := map[string]float64{"failing-agent": 0, "hello": 1, "partial": 0.75, "sidecar": 1}
	if d := cmp.Diff(want, got); d != "" || r.code != 0 {
		t.Errorf("exit code %d\n%s\n%s", r.code, d, r.stderr)
	}
	if m := r.record.Summary.MeanScore; m == nil || *m != 0.6875 {
		t.Errorf("mean %v, want 0.6875", m)
	}
}

func TestTheDemoTasksFailWithoutAnAgent(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, append(demos(t), "--agent", "nop", "--min-score", "0.5")...)
	if r.code != 1 {
		t.Errorf("exit code %d, want 1 for a mean below --min-score\n%s", r.code, r.stderr)
	}
	for _, c := range r.record.Cases {
		if c.Score == nil || *c.Score != 0 {
			t.Errorf("%s scores %v with an agent that does nothing", c.ID, c.Score)
		}
	}
}

func TestAPartialScoreKeepsItsReasons(t *testing.T) {
	t.Parallel()
	c := seatrialRun(t, demo(t, "partial")).only(t)
	if !c.ScoreDerived {
		t.Error("the score is the mean of the dimensions and is not marked as derived")
	}
	links := c.dimension("links")
	if links == nil || links.Status != "not_applicable" || links.Value != nil || len(links.Criteria) != 1 || links.Criteria[0].Error == "" {
		t.Errorf("the dimension that could not be tried: %+v", links)
	}
	summary := c.dimension("summary")
	if summary == nil || summary.Value == nil || *summary.Value != 0.5 || len(summary.Criteria) != 2 || summary.Criteria[0].Reasoning == "" {
		t.Errorf("the dimension with two criteria: %+v", summary)
	}
	if c.Artifacts.Details == "" || c.Artifacts.Rewards == "" {
		t.Errorf("artifacts %+v", c.Artifacts)
	}
}

func TestAFailedAgentIsGraded(t *testing.T) {
	t.Parallel()
	c := seatrialRun(t, demo(t, "failing-agent")).only(t)
	if c.Result.AgentExit == nil || *c.Result.AgentExit != 1 || !c.warned("agent_error") || c.Score == nil || *c.Score != 0 {
		t.Errorf("agent exit %v, warnings %+v, score %v", c.Result.AgentExit, c.Warnings, c.Score)
	}
}
