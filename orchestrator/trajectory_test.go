package orchestrator_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
)

func TestReadTrajectory(t *testing.T) {
	str := func(v string) *string { return &v }
	n := func(v int64) *int64 { return &v }
	f := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name, text string
		want       orchestrator.Usage
	}{
		{"totals win over sums", `{"schema_version":"ATIF-v1.7","agent":{"name":"x","model_name":"m"},"steps":[{"metrics":{"prompt_tokens":1}}],
			"final_metrics":{"total_prompt_tokens":10,"total_completion_tokens":3,"total_cached_tokens":4,"total_cost_usd":0.5}}`,
			orchestrator.Usage{Model: str("m"), PromptTokens: n(10), OutputTokens: n(3), CachedTokens: n(4), CostUSD: f(0.5), Steps: 1}},
		{"steps are summed", `{"steps":[{"metrics":{"prompt_tokens":1,"completion_tokens":2,"cost_usd":0.25}},{},{"metrics":{"prompt_tokens":5,"cost_usd":0.5}}]}`,
			orchestrator.Usage{PromptTokens: n(6), OutputTokens: n(2), CostUSD: f(0.75), Steps: 3}},
		{"a total that is missing is summed", `{"steps":[{"metrics":{"prompt_tokens":1,"cached_tokens":1}}],"final_metrics":{"total_prompt_tokens":9}}`,
			orchestrator.Usage{PromptTokens: n(9), CachedTokens: n(1), Steps: 1}},
		{"the last step's model is the model", `{"agent":{"model_name":"a"},"steps":[{"model_name":"b"},{"model_name":"c"},{}]}`,
			orchestrator.Usage{Model: str("c"), Steps: 3}},
		{"what is not said is not known", `{"schema_version":"ATIF-v1.0","steps":[]}`, orchestrator.Usage{}},
		{"nulls are not said", `{"steps":[{"metrics":null}],"final_metrics":{"total_prompt_tokens":null,"total_cost_usd":null}}`, orchestrator.Usage{Steps: 1}},
		{"negative numbers are not counts", `{"steps":[{"metrics":{"prompt_tokens":-5,"cost_usd":-1}},{"metrics":{"prompt_tokens":2}}]}`,
			orchestrator.Usage{PromptTokens: n(2), Steps: 2}},
		{"numbers too large for a sum are left out", `{"steps":[{"metrics":{"prompt_tokens":9223372036854775807}},{"metrics":{"prompt_tokens":9223372036854775807}}]}`,
			orchestrator.Usage{PromptTokens: n(9223372036854775807), Steps: 2}},
		{"infinite costs are left out", `{"steps":[],"final_metrics":{"total_cost_usd":1e999}}`, orchestrator.Usage{}},
		{"unknown keys are no matter", `{"schema_version":"ATIF-v9","future":{"x":[1]},"steps":[{"tool_calls":[]}]}`, orchestrator.Usage{Steps: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := orchestrator.ReadTrajectory(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTrajectoryRefuses(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"nothing", ""},
		{"something else's JSON", `{"messages":[]}`},
		{"a list", `[]`},
		{"text", "hello"},
		{"half of one", `{"schema_version":"1","steps":[{`},
		{"steps of another kind", `{"steps":{"a":1}}`},
		{"more than fits", `{"schema_version":"` + strings.Repeat("x", 65<<20) + `"}`},
		{"too deep a one", `{"schema_version":"1","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if u, err := orchestrator.ReadTrajectory(strings.NewReader(c.text)); err == nil {
				t.Errorf("it was read as %+v", u)
			}
		})
	}
	boom := errors.New("boom")
	if _, err := orchestrator.ReadTrajectory(iotest.ErrReader(boom)); !errors.Is(err, boom) {
		t.Errorf("a reader's error came out as %v", err)
	}
}

func TestAModelsNameIsBounded(t *testing.T) {
	u, err := orchestrator.ReadTrajectory(strings.NewReader(`{"steps":[{"model_name":"` + strings.Repeat("m", 1<<20) + `"}]}`))
	if err != nil || u.Model == nil || len(*u.Model) > 1024 {
		t.Errorf("a name of a megabyte: %v, %v bytes", err, u.Model != nil && len(*u.Model) > 1024)
	}
}

func TestTheTrajectorysFactsAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := `{"schema_version":"ATIF-v1.7","agent":{"name":"x","model_name":"m-1"},"steps":[{"metrics":{"prompt_tokens":7,"completion_tokens":2,"cost_usd":0.5}}]}`
		h := newHouse(t, scene{agent: writes("/logs/agent/trajectory.json", text), tests: reward(`{"reward": 1}`)})
		rec := h.play(t.Context(), t, planOf(t, "plain", command("x")))
		in, out, cost, exit, model := int64(7), int64(2), 0.5, 0, "m-1"
		want := orchestrator.Result{ObservedModel: &model, Tokens: &orchestrator.Tokens{Input: &in, Output: &out}, Cost: &cost, AgentExit: &exit}
		if diff := cmp.Diff(want, rec.Case.Result); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if rec.Case.Artifacts.Trajectory != "trials/plain/agent/trajectory.json" {
			t.Errorf("artifacts: %+v", rec.Case.Artifacts)
		}
	})
}

func TestABrokenTrajectoryIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{agent: writes("/logs/agent/trajectory.json", "{"), tests: reward(`{"reward": 1}`)})
		check(t, h, h.play(t.Context(), t, planOf(t, "plain")), ending{score: 1, warnings: []string{"trajectory_unreadable"}})
	})
}

func FuzzReadTrajectory(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"schema_version":"ATIF-v1.7","agent":{"name":"x","model_name":"m"},"steps":[{"model_name":"b","metrics":{"prompt_tokens":1,"cost_usd":1e3}}]}`,
		`{"steps":[],"final_metrics":{"total_prompt_tokens":1.5,"total_cost_usd":"2"}}`, `{"steps":[{"metrics":{"cached_tokens":9223372036854775807}}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := orchestrator.ReadTrajectory(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, n := range []*int64{u.PromptTokens, u.OutputTokens, u.CachedTokens} {
			if n != nil && *n < 0 {
				t.Errorf("a negative count: %+v", u)
			}
		}
		if u.CostUSD != nil && !(*u.CostUSD >= 0 && *u.CostUSD <= 1e15) {
			t.Errorf("a cost of %v", *u.CostUSD)
		}
		if u.Model != nil && *u.Model == "" || u.Steps < 0 {
			t.Errorf("%+v", u)
		}
	})
}
