package orchestrator_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// answering is an agent that leaves a file.
func answering(files map[string]string) scene {
	return scene{agent: func(_ context.Context, p *process) (*shim.Report, error) {
		for name, text := range files {
			p.write(name, text)
		}
		return nil, nil
	}}
}

func TestAnswersAreScoredWithoutRunningAnything(t *testing.T) {
	t.Parallel()
	const right = `{"primes": [2, 3, 5, 7, 11, 13, 17, 19], "root": 1.41421356, "capital": "Paris"}`
	for _, c := range []struct {
		name, answer string
		score        float64
		problem      string
	}{
		{"right answers", right, 1, ""},
		{"some of them", `{"primes": [2, 3, 5, 7], "root": 1.414, "capital": "Rome"}`, 0.55, ""},
		{"no file", "", 0, "is not there"},
		{"no JSON", "{", 0, "is not JSON"},
		{"two values", right + "{}", 0, "is not JSON"},
		{"a list", "[]", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"/logs/verifier/reward.json": `{"reward": 1}`, "/logs/verifier/reward.txt": "1", "/logs/agent/note": "x"}
			if c.answer != "" {
				files["/app/answer.json"] = c.answer
			}
			h := newHouse(t, answering(files))
			p := planOf(t, "answered", command("work"))
			rec := h.play(t.Context(), t, p)
			if rec.Case.Status != orchestrator.Complete || *rec.Case.Score != c.score {
				t.Fatalf("%+v", rec.Case)
			}
			if s := rec.Scoring; s == nil || s.Submission != "/app/answer.json" || s.Spec != "tests/scoring.toml" || !strings.HasPrefix(s.Problem, c.problem) || (s.Problem == "") != (c.problem == "") {
				t.Errorf("%+v", s)
			}
			if rec.Verifier != nil || len(h.eng.all[0].commands("/tests/test.sh")) > 0 {
				t.Error("something was run to grade")
			}
			if text, err := os.ReadFile(h.path(p, "verifier/reward.json")); err != nil || !strings.Contains(string(text), `"primes"`) {
				t.Errorf("%s, %v", text, err)
			}
			if _, err := os.Stat(h.path(p, "verifier/reward.txt")); err == nil {
				t.Error("what the agent left for a reward was kept as one")
			}
			if _, err := os.Stat(h.path(p, "agent/note")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsWrongWithAScoringSpecificationIsFoundBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, text, want string }{
		{"no specification", "scoring.toml", "type = 1", "type: must be"},
		{"no submission", "scoring.toml", `type = "deterministic"
dimensions = [{name = "a", weight = 1, primitive = "exact_match", field = "a", ground_truth_field = "root"}]`, "submission is missing"},
		{"a submission that the tests are in", "scoring.toml", `type = "deterministic"
submission = "/tests/truth.json"
dimensions = [{name = "a", weight = 1, primitive = "exact_match", field = "a", ground_truth_field = "root"}]`, "no place for"},
		{"an expected answer that is missing", "scoring.toml", `type = "deterministic"
submission = "a.json"
dimensions = [{name = "a", weight = 1, primitive = "exact_match", field = "a", ground_truth_field = "rot"}]`, "have no rot"},
		{"expected answers that are missing", "scoring.toml", `type = "deterministic"
submission = "a.json"
truth = "none.json"
dimensions = [{name = "a", weight = 1, primitive = "exact_match", field = "a", ground_truth_field = "root"}]`, "cannot be read"},
		{"expected answers elsewhere", "scoring.toml", `type = "deterministic"
submission = "a.json"
truth = "../task.toml"
dimensions = [{name = "a", weight = 1, primitive = "exact_match", field = "a", ground_truth_field = "root"}]`, "truth: must be"},
		{"expected answers that are no JSON", "truth.json", "{", "not JSON"},
		{"an evaluator that is missing", "scoring.toml", `type = "custom-script"
submission = "a.json"
script = "none.py"`, "is missing"},
		{"two specifications", "scoring.json", "{}", "keep one of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			copyTask(t, "answered", dir)
			if err := os.WriteFile(dir+"/tests/"+c.file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
			if err != nil {
				t.Fatal(err)
			}
			if err := jobs[0].Err; err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "tests/") {
				t.Errorf("%v", err)
			}
		})
	}
}
