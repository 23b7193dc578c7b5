package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answered is a task whose answers are scored without a test script.
func answered(more string) string {
	return `-- !tests/test.sh --
-- tests/scoring.toml --
type = "deterministic"
submission = "/app/answer.json"
dimensions = [{ name = "n", weight = 1, primitive = "exact_match", field = "n", ground_truth_field = "n" }]
-- tests/truth.json --
{"n": 42}
` + more
}

// evaluated is a task with an evaluator of its own.
func evaluated(lines, more string) string {
	return `-- !tests/test.sh --
-- tests/scoring.toml --
type = "custom-script"
submission = "/app/answer"
script = "evaluate.sh"
timeout_secs = 10
` + more + `
-- tests/evaluate.sh --
#!/bin/sh
` + lines + "\n"
}

func TestAnswersAreScoredFromOutside(t *testing.T) {
	t.Parallel()
	work := func(lines string) []string { return []string{"--agent-cmd", lines} }
	problem := func(want string) func(*testing.T, *ran) {
		return func(t *testing.T, r *ran) {
			if s := r.trial(t).Scoring; s == nil || !strings.Contains(s.Problem, want) {
				t.Errorf("the record says %+v, want %q", s, want)
			}
		}
	}
	separate := "-- task.toml --\n[verifier]\nenvironment_mode = \"separate\"\n"
	behave(t, []behaviour{
		{name: "the right answer scores", task: answered(""), args: work(`echo '{"n": 42.0}' >/app/answer.json`), want: outcome{score: 1}, check: problem("")},
		{name: "the right answer scores apart", task: answered(separate), args: work(`echo '{"n": 42}' >/app/answer.json`), want: outcome{score: 1}},
		{name: "rewards that the agent wrote count for nothing", task: answered(""), args: work(`for f in reward.json reward.txt contract.json; do echo '{"reward": 1}' >/logs/verifier/$f; done`), want: outcome{}, check: problem("not there")},
		{name: "an answer that links to the host's or the engine's files is none", task: answered(""), args: work(`ln -s /proc/1/environ /app/answer.json`), want: outcome{}, check: problem("no plain file")},
		{name: "an answer that is a pipe is none", task: answered(""), args: work(`mkfifo /app/answer.json`), want: outcome{}, check: problem("no plain file")},
		{name: "an answer that is a folder is none", task: answered(""), args: work(`mkdir -p /app/answer.json/answer.json`), want: outcome{}, check: problem("no plain file")},
		{name: "an answer of 100 GB is none, and is not waited for", task: answered(""), args: work(`truncate -s 100G /app/answer.json`), want: outcome{}, check: problem("larger than")},
		{name: "an answer nested without end is none", task: answered(""), args: work(`i=0; while [ $i -lt 16 ]; do printf '%2000s' '' | tr ' ' '['; i=$((i+1)); done >/app/answer.json`), want: outcome{}, check: problem("not JSON")},
		{name: "an answer that is being written is read as it stands", task: answered(""), args: work(`echo '{"n": 42}' >/app/answer.json; (while :; do echo >/tmp/busy; done) & true`), want: outcome{score: 1}},
		{name: "an answer in a link to a folder is read", task: answered(""), args: work(`mkdir /real; rm -rf /app; ln -s /real /app; echo '{"n": 42}' >/real/answer.json`), want: outcome{score: 1}},
		{
			name: "time is the agent's own", args: work(`sleep 1; echo '{"n": 42}' >/app/answer.json`), want: outcome{score: 1},
			task: "-- !tests/test.sh --\n-- tests/truth.json --\n{\"n\": 42}\n" + `-- tests/scoring.toml --
type = "deterministic"
submission = "/app/answer.json"
[[dimensions]]
name = "n"
weight = 0.999999999999
primitive = "exact_match"
field = "n"
ground_truth_field = "n"
[[dimensions]]
name = "fast"
weight = 0.000000000001
primitive = "time_decay"
time_limit_secs = 100
`,
			check: func(t *testing.T, r *ran) {
				for _, s := range r.only(t).Scores {
					if s.Name == "fast" && (*s.Value > 0.99 || *s.Value < 0.5) {
						t.Errorf("fast is %v", *s.Value)
					}
				}
			},
		},
	})
}

func TestEvaluatorsOfATask(t *testing.T) {
	t.Parallel()
	work := []string{"--agent-cmd", "echo done >/app/answer; touch /app/other"}
	fault := outcome{code: "verifier_error", phase: "verifier"}
	behave(t, []behaviour{
		{name: "an evaluator sees the submission and nothing else of the agent's", task: evaluated(`[ "$(cat $SEATRIAL_SUBMISSION)" = done ] && [ ! -e /app/other ] && echo '{"scores": {"a": 0.5}}' >$SEATRIAL_OUT`, ""), args: work, want: outcome{score: 0.5}},
		{name: "an evaluator cannot change what it reads", task: evaluated(`id -u; if echo x >>/app/answer || echo x >>/tests/evaluate.sh || rm -f /tests/scoring.toml; then exit 1; fi; echo '{"scores": {"a": 1}}' >$SEATRIAL_OUT`, ""), args: work, want: outcome{score: 1}},
		{name: "an evaluator has no network", task: evaluated(`[ "$(ls /sys/class/net)" = lo ] && echo '{"scores": {"a": 1}}' >$SEATRIAL_OUT`, ""), args: work, want: outcome{score: 1}},
		{name: "an evaluator that leaves no scores is no score", task: evaluated(`echo '{"scores": {"a": 1}}'`, ""), args: work, want: fault},
		{name: "a reward that an evaluator writes itself is no score", task: evaluated(`echo '{"reward": 1}' >/logs/verifier/reward.json`, ""), args: work, want: fault},
		{name: "a bad score is no score", task: evaluated(`echo '{"scores": {"a": 2}}' >$SEATRIAL_OUT`, ""), args: work, want: fault},
		{name: "a link is no score", task: evaluated(`echo '{"scores": {"a": 1}}' >/tmp/s; ln -s /tmp/s $SEATRIAL_OUT`, ""), args: work, want: fault},
		{name: "an evaluator that takes too long is no score", task: evaluated(`echo '{"scores": {"a": 1}}' >$SEATRIAL_OUT; sleep 60`, ""), args: work, want: outcome{code: "verifier_timeout", phase: "verifier"}},
		{name: "an evaluator that forks without end harms nobody", task: evaluated(`f() { f | f & }; f; sleep 30`, ""), args: work, want: outcome{code: "verifier_timeout", phase: "verifier"}},
		{name: "an evaluator that is the same twice scores", task: evaluated(`[ ! -e /tmp/seen ]; echo "{\"scores\": {\"a\": $?}}" >$SEATRIAL_OUT; touch /tmp/seen`, "twice = true"), args: work, want: outcome{}},
		{name: "an evaluator that is not the same twice is no score", task: evaluated(`echo "{\"scores\": {\"a\": 0.$(date +%N)}}" >$SEATRIAL_OUT`, "twice = true"), args: work, want: fault},
		{name: "an evaluator with an image of its own", task: evaluated(`echo '{"scores": {"a": 1}}' >$SEATRIAL_OUT`, `image = "busybox"`), args: work, want: outcome{score: 1}},
	})
}

func TestStepsAreScoredFromOutside(t *testing.T) {
	t.Parallel()
	task := strings.NewReplacer("steps/one/tests/test.sh --\n#!/bin/sh\nif [ -e /app/one ]; then r=1; else r=0; fi\necho \"{\\\"reward\\\": $r}\" >/logs/verifier/reward.json",
		"steps/one/tests/scoring.json --\n{\"type\": \"deterministic\", \"submission\": \"/app/one\", \"dimensions\": [{\"name\": \"n\", \"weight\": 1, \"primitive\": \"exact_match\", \"field\": \"n\", \"ground_truth_field\": \"n\"}]}\n-- steps/one/tests/truth.json --\n{\"n\": 1}",
		"touch /app/one", "echo '{\"n\": 1}' >/app/one").Replace(twoSteps)
	behave(t, []behaviour{
		{name: "a step that is scored from outside before one that is tested", task: task + "-- task.toml --\n" + declared, want: outcome{score: 1}, check: came("1", "1")},
		{name: "a frozen step goes on", task: task + "-- task.toml --\n" + strings.Replace(declared, "[[steps]]\nname = \"two\"", "[steps.verifier]\nenvironment_mode = \"separate\"\n[[steps]]\nname = \"two\"", 1), want: outcome{score: 1}, check: came("1", "1")},
	})
}

func TestEvaluatingOnTheHost(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", evaluated(`[ "$(cat $SEATRIAL_SUBMISSION 2>/dev/null)" = right ]; echo "{\"scores\": {\"a\": $((1 - $?))}}" >$SEATRIAL_OUT`, "twice = true\nimage = \"busybox\""))
	answer := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(answer, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--submission", answer, "--out", out}, 0, "1.0000  a"},
		{[]string{"--submission", filepath.Join(out, "none")}, 0, "0.0000  a"},
		{[]string{"--submission", answer, "--time", "3"}, 2, "--time"},
	} {
		code, stdout, stderr := seatrial(t, nil, append([]string{"score", "--spec", filepath.Join(dir, "tests", "scoring.toml")}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%v: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(filepath.Join(out, "reward.json")); err != nil || string(text) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("%s, %v", text, err)
	}
}
