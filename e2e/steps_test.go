package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two steps. Each is done when its file is there, and each can be done with its own solution only.
const twoSteps = `
-- steps/one/instruction.md --
Make /app/one.
-- steps/one/solution/solve.sh --
#!/bin/sh
touch /app/one
-- steps/one/tests/test.sh --
#!/bin/sh
if [ -e /app/one ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
-- steps/two/instruction.md --
Make /app/two.
-- steps/two/solution/solve.sh --
#!/bin/sh
touch /app/two
-- steps/two/tests/test.sh --
#!/bin/sh
if [ -e /app/two ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
-- !tests/test.sh --
-- !solution/solve.sh --
-- !instruction.md --
`

const declared = "[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n"

// came sees how the steps came out: a score, a code or "skipped" each.
func came(want ...string) func(*testing.T, *ran) {
	return func(t *testing.T, r *ran) {
		t.Helper()
		var got []string
		for _, s := range r.only(t).Steps {
			switch {
			case s.Error != nil:
				got = append(got, s.Error.Code)
			case s.Score != nil:
				got = append(got, fmt.Sprint(*s.Score))
			default:
				got = append(got, s.Status)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("steps (-want +got):\n%s", d)
		}
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	const head = "-- task.toml --\n"
	prints := func(name, text string) string { return "-- " + name + " --\n#!/bin/sh\n" + text + "\n" }
	behave(t, []behaviour{
		{name: "all steps done score 1", task: head + declared + twoSteps, want: outcome{score: 1, says: []string{"step one: 1", "step two: 1"}}, check: came("1", "1")},
		{
			name: "one of two steps done scores a half", args: []string{"--agent-cmd", "touch one"}, task: head + declared + twoSteps,
			want: outcome{score: 0.5}, check: came("1", "0"),
		},
		{
			name: "the final step decides alone where the task says so", args: []string{"--agent-cmd", "touch two"},
			task: head + "multi_step_reward_strategy = \"final\"\n" + declared + twoSteps, want: outcome{score: 1}, check: came("0", "1"),
		},
		{
			name: "a step below its least reward leaves out the rest", args: []string{"--agent", "nop"},
			task: head + "[[steps]]\nname = \"one\"\nmin_reward = 1\n[[steps]]\nname = \"two\"\n" + twoSteps,
			want: outcome{score: 0, warns: []string{"min_reward"}}, check: came("0", "skipped"),
		},
		{
			name: "steps that never ran count where the mean is over the declared ones", args: []string{"--steps-mean", "declared", "--agent-cmd", "touch one"},
			task: head + "[[steps]]\nname = \"one\"\nmin_reward = {reward = 2}\n[[steps]]\nname = \"two\"\n[metadata.eval]\nrewards = \"harbor\"\n" + twoSteps,
			want: outcome{score: 0.5, warns: []string{"min_reward"}}, check: came("1", "skipped"),
		},
		{
			name: "neither tests nor solution of a step are there in the next", task: head + declared +
				prints("steps/two/solution/solve.sh", "ls -d /tests /solution/../solution/one 2>/dev/null; ls -A /logs/verifier /logs/agent; touch /app/two") +
				"-- steps/one/solution/one --\n" + twoSteps, want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "steps", "two", "agent", "stdout.log"); got != "/logs/agent:\n\n/logs/verifier:\n" {
					t.Errorf("the second step's agent found:\n%s", got)
				}
			},
		},
		{
			name: "setup.sh that fails names its step", task: head + declared + prints("steps/two/workdir/setup.sh", "echo no wood; exit 3") + twoSteps,
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"step two", "setup.sh", "exit code 3", "no wood"}}, check: came("1", "setup_failed"),
		},
		{
			name: "setup.sh that hangs is ended by its limit", args: []string{"--setup-timeout", "1s"},
			task: head + declared + prints("steps/one/workdir/setup.sh", "sleep 77") + twoSteps,
			want: outcome{code: "setup_timeout", phase: "setup", says: []string{"step one", "setup.sh"}}, check: came("setup_timeout", "skipped"),
		},
		{
			name: "setup.sh runs as the agent's user in the working directory and finds its files", args: []string{"--agent", "nop"},
			task: head + "[agent]\nuser = \"nobody\"\n[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n[steps.agent]\nuser = \"daemon\"\n" +
				prints("steps/one/workdir/setup.sh", "id -un; pwd; cat wood") + "-- steps/one/workdir/wood --\noak\n" + prints("steps/two/workdir/setup.sh", "id -un") + twoSteps,
			want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				if one, two := r.text(t, "steps", "one", "setup", "stdout.log"), r.text(t, "steps", "two", "setup", "stdout.log"); one != "nobody\n/app\noak\n" || two != "daemon\n" {
					t.Errorf("setup.sh printed %q and %q", one, two)
				}
			},
		},
		{
			name: "a step's health check that stays bad names its step",
			task: head + "[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n[steps.healthcheck]\ncommand = \"echo not yet; exit 1\"\nretries = 2\ninterval_sec = 0.05\n" + twoSteps,
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"step two", "not yet"}}, check: came("1", "setup_failed"),
		},
		{
			name: "a step's health check that hangs counts as a failure",
			task: head + "[[steps]]\nname = \"one\"\n[steps.healthcheck]\ncommand = \"mkdir /tmp/once && sleep 60\"\ntimeout_sec = 0.3\nretries = 2\ninterval_sec = 0.05\n" +
				"[[steps]]\nname = \"two\"\n" + twoSteps,
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"step one", "2 times"}}, check: came("setup_failed", "skipped"),
		},
		{
			name: "a step whose tests leave nothing makes the case incomplete and keeps the others",
			task: head + declared + prints("steps/two/tests/test.sh", "echo broken; exit 4") + twoSteps,
			want: outcome{code: "reward_missing", phase: "verifier", says: []string{"step two", "broken"}}, check: came("1", "reward_missing"),
		},
		{
			name: "an agent that is cut off in a step is graded and goes on", args: []string{"--agent-timeout", "1s", "--agent-cmd", "touch $SEATRIAL_STEP; [ $SEATRIAL_STEP = two ] || sleep 66"},
			task: head + declared + twoSteps, want: outcome{score: 1, warns: []string{"agent_timed_out"}}, check: came("1", "1"),
		},
		{
			name: "the tests of a step get its variables over the task's",
			task: head + "[verifier.env]\nA = \"task\"\nB = \"task\"\n[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n[steps.verifier.env]\nB = \"step\"\n" +
				prints("tests/test.sh", "echo $A $B; echo 1 >/logs/verifier/reward.txt") + "-- !steps/one/tests/test.sh --\n-- !steps/two/tests/test.sh --\n" + twoSteps,
			want: outcome{score: 1, warns: []string{"reward_txt", "reward_txt"}},
			check: func(t *testing.T, r *ran) {
				if one, two := r.text(t, "steps", "one", "verifier", "test-stdout.txt"), r.text(t, "steps", "two", "verifier", "test-stdout.txt"); one != "task task\n" || two != "task step\n" {
					t.Errorf("the tests found %q and %q", one, two)
				}
			},
		},
		{
			name: "artifacts and hooks of a step are its own", args: []string{"--agent-cmd", "echo $SEATRIAL_STEP >note"},
			task: head + "artifacts = [\"note\"]\n[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\nartifacts = [\"more\"]\n[[steps.verifier.collect]]\ncommand = \"cat note note >more\"\n" + twoSteps,
			want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				for name, want := range map[string]string{"one/artifacts/app/note": "one\n", "two/artifacts/app/note": "two\n", "two/artifacts/app/more": "two\ntwo\n"} {
					if got := r.text(t, "steps", name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
			},
		},
		{
			name: "what a hook gathers is kept where no agent ran before it", args: []string{"--agent", "nop"},
			task: head + "[[verifier.collect]]\ncommand = \"ls -d /tests 2>/dev/null; echo $SHLVL >/logs/artifacts/note\"\n" + declared + twoSteps, want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				for _, step := range []string{"one", "two"} {
					if _, err := os.Stat(filepath.Join(r.trialDir(t), "steps", step, "artifacts", "note")); err != nil {
						t.Error(err)
					}
				}
			},
		},
		{
			name: "what a step's tests leave running does not reach the next", args: []string{"--agent-cmd", "touch $SEATRIAL_STEP; sleep 1; ps | grep -c '[s]leep 567' || true"},
			task: head + declared + prints("steps/one/tests/test.sh", "sleep 567 & echo '{\"reward\": 1}' >/logs/verifier/reward.json") + twoSteps,
			want: outcome{score: 1, warns: []string{"verifier_leftovers"}},
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "steps", "two", "agent", "stdout.log"); got != "0\n" {
					t.Errorf("%q processes of the first step's tests ran in the second", got)
				}
			},
		},
	})
}

func TestOneConversationOrFreshOnes(t *testing.T) {
	t.Parallel()
	const told = `echo "$SEATRIAL_STEP $SEATRIAL_STEP_NUMBER/$SEATRIAL_STEPS continue=$SEATRIAL_CONTINUE: $(cat $SEATRIAL_INSTRUCTION_FILE)"`
	for args, want := range map[string]string{
		"":              "two 2/2 continue=1: Make /app/two.\n",
		"--fresh-steps": "two 2/2 continue=: Make /app/two.\n",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := seatrialRun(t, append(strings.Fields(args), "--agent-cmd", told, newTask(t, "task", "-- task.toml --\n"+declared+twoSteps))...)
			if got := r.text(t, "steps", "one", "agent", "stdout.log"); got != "one 1/2 continue=: Make /app/one.\n" {
				t.Errorf("the first step's agent was told %q", got)
			}
			if got := r.text(t, "steps", "two", "agent", "stdout.log"); got != want {
				t.Errorf("the second step's agent was told %q, want %q", got, want)
			}
		})
	}
}

// In each step the tests see what happened in it: the state at the end of the step before, and its own calls.
func TestFakesTellEachStepApart(t *testing.T) {
	t.Parallel()
	toml := "-- task.toml --\n" + strings.ReplaceAll(demoFile(t, "task.toml"), "[agent]", "[[steps]]\nname = \"pay back\"\n[[steps]]\nname = \"tell\"\n[agent]")
	tests := func(calls, changed int) string {
		return fmt.Sprintf("#!/bin/sh\n"+`c=$(seatrial fakes calls --json | wc -l); d=$(seatrial fakes diff --server billing --json | wc -l)
echo "$c calls, $d changes"
if [ $c = %d ] && [ $d = %d ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`, calls, changed)
	}
	task := newTask(t, "task", refund(t, toml+"-- steps/pay back/instruction.md --\nPay.\n-- steps/tell/instruction.md --\nTell.\n-- steps/pay back/tests/test.sh --\n"+
		tests(1, 2)+"-- steps/tell/tests/test.sh --\n"+tests(2, 0)))
	r := seatrialRun(t, "--agent-cmd", `if [ "$SEATRIAL_STEP" = tell ]; then mcp get_customer '{"id": "cus_ada"}'; mcp list_invoices '{"customer": "cus_ada"}'
		else mcp refund_invoice '{"id": "inv_1002", "amount": 40, "reason": "damaged"}'; fi`, task)
	expect(t, r, outcome{score: 1})
	came("1", "1")(t, r)
	for _, name := range []string{"artifacts/fakes/done.json", "artifacts/fakes/step-number-1.json", "artifacts/fakes/step-tell.json", "steps/pay back/artifacts/fakes/done.json", "steps/tell/artifacts/fakes/calls.jsonl"} {
		if _, err := os.Stat(filepath.Join(r.trialDir(t), filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.trialDir(t), "steps", "pay back", "fakes-so-far")); err == nil {
		t.Error("the folder of the evidence so far was left behind")
	}
}

func TestTheExampleWithSteps(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "steps"))
	expect(t, r, outcome{score: 1})
	came("1", "1")(t, r)
	r = seatrialRun(t, "--agent", "nop", demo(t, "steps"))
	expect(t, r, outcome{score: 0, warns: []string{"min_reward"}})
	came("0", "skipped")(t, r)
}
