package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// apartTask grades in a container of its own: the reward is 1 when the artifact /app/ok came over.
const apartTask = `
-- tests/Dockerfile --
FROM busybox
COPY test.sh /tests/test.sh
-- tests/test.sh --
#!/bin/sh
if [ -e /app/ok ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`

const apartHead = "-- task.toml --\nartifacts = [\"ok\"]\n[verifier]\nenvironment_mode = \"separate\"\n"

// look is a test.sh that prints what commands print, and gives the reward 1.
func look(commands string) string {
	return "-- tests/test.sh --\n#!/bin/sh\n" + commands + "\necho '{\"reward\": 1}' >/logs/verifier/reward.json\n"
}

// seen sees what the tests printed.
func seen(want string) func(*testing.T, *ran) {
	return func(t *testing.T, r *ran) {
		t.Helper()
		if got := r.text(t, "verifier", "test-stdout.txt"); got != want {
			t.Errorf("the tests printed\n%s, want\n%s", got, want)
		}
	}
}

func TestSeparateVerifier(t *testing.T) {
	t.Parallel()
	const ls = "ls -A / | grep -v -e dev -e etc -e proc -e sys -e bin -e home -e root -e tmp -e usr -e var -e lib -e seatrial -e '^[.]' | xargs echo; ls -A /app /logs/verifier 2>&1"
	behave(t, []behaviour{
		{name: "the agent's work crosses as an artifact", task: apartHead + apartTask, want: outcome{score: 1}},
		{name: "what is no artifact does not cross", args: []string{"--agent-cmd", "touch /app/not-ok"}, task: apartHead + apartTask, want: outcome{score: 0, warns: []string{"artifact_missing"}}},
		{
			name: "the tests see artifacts and nothing else of the agent's", args: []string{"--agent-cmd", "touch ok other /logs/verifier/reward.json /x; mkdir /tests; touch /tests/planted"},
			task: apartHead + look(ls+"; ls /tests") + apartTask, want: outcome{score: 1}, check: seen("app logs tests\n/app:\nok\n\n/logs/verifier:\ntest.sh\n"),
		},
		{
			name: "its table alone asks for a separate verifier, with its own variables and folder",
			task: "-- task.toml --\n[verifier]\nenv = {B = \"tests\"}\n[verifier.environment]\nworkdir = \"/srv\"\nenv = {A = \"environment\", B = \"environment\"}\n" +
				look("echo $A $B $PWD") + apartTask,
			want: outcome{score: 1}, check: seen("environment tests /srv\n"),
		},
		{
			name: "a prebuilt image gets the tests in the working directory, as in Harbor, and where it runs them",
			task: "-- task.toml --\n[verifier]\nenvironment_mode = \"separate\"\n[verifier.environment]\ndocker_image = \"busybox\"\nworkdir = \"/w\"\n-- !tests/Dockerfile --\n" +
				look("ls /w /tests") + apartTask,
			want: outcome{score: 1, warns: []string{"tests_put"}}, check: seen("/tests:\ntest.sh\n\n/w:\ntest.sh\n"),
		},
		{
			name: "a copy of the environment is one too", args: []string{"--agent-cmd", "touch /app/planted"},
			task: "-- task.toml --\n[environment]\ndocker_image = \"busybox\"\nworkdir = \"/app\"\n[verifier]\nenvironment_mode = \"separate\"\n-- !environment/Dockerfile --\n-- environment/x --\nx\n-- !tests/Dockerfile --\n" +
				look("ls /app") + apartTask,
			want: outcome{score: 1, warns: []string{"tests_put"}}, check: seen("test.sh\n"),
		},
		{
			name: "a compose file gives the tests sidecars of their own",
			task: apartHead + "-- tests/docker-compose.yaml --\nservices:\n  main: {depends_on: [db]}\n  db: {image: busybox, command: [sh, -c, 'echo row >/rows; exec httpd -f -p 80 -h /']}\n" +
				look("sleep 0.3; wget -q -O - http://db/rows") + apartTask, want: outcome{score: 1}, check: seen("row\n"),
		},
		{
			name: "its user and health check are its own",
			task: "-- task.toml --\n[agent]\nuser = \"daemon\"\n[environment]\n[verifier]\nuser = \"nobody\"\n[verifier.environment]\nhealthcheck = {command = \"touch /tmp/checked\", retries = 1}\n-- environment/Dockerfile --\nFROM busybox\nRUN mkdir -m 777 /app\nWORKDIR /app\n" +
				look("id -un; ls /tmp") + apartTask, want: outcome{score: 1}, check: seen("nobody\nchecked\n"),
		},
		{
			name: "a health check that stays bad is told as the verifier's",
			task: "-- task.toml --\n[verifier.environment]\nhealthcheck = {command = \"echo not me; exit 1\", retries = 1}\n" + apartTask,
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"the verifier's environment", "not me"}},
		},
		{
			name: "an image that cannot be built is found before the agent works", args: []string{"--agent-cmd", "echo worked"},
			task: apartHead + "-- tests/Dockerfile --\nFROM busybox\nRUN false\n" + apartTask, want: outcome{code: "build_failed", phase: "setup"},
			check: func(t *testing.T, r *ran) {
				if _, err := os.Stat(filepath.Join(r.trialDir(t), "agent", "stdout.log")); err == nil {
					t.Error("the agent worked in vain")
				}
			},
		},
		{
			name: "folders cross with what is in them, without what is excluded, and in place of what was there",
			args: []string{"--agent-cmd", "mkdir -p out/a out/tmp; echo 1 >out/a/x; touch out/tmp/big; chmod 700 out; echo log >/logs/artifacts/log"},
			task: "-- task.toml --\nartifacts = [{source = \"/app/out\", exclude = [\"tmp\"]}]\n[verifier]\nenvironment_mode = \"separate\"\nuser = \"nobody\"\n" +
				"-- tests/Dockerfile --\nFROM busybox\nCOPY test.sh /tests/test.sh\nRUN mkdir -p /app/out && touch /app/out/stale\n" + look("cd /app/out && find . | sort; cat a/x /logs/artifacts/log") + apartTask,
			want: outcome{score: 1}, check: seen(".\n./a\n./a/x\n1\nlog\n"),
		},
		{
			name: "a sidecar's artifacts cross after its hooks",
			task: "-- task.toml --\nartifacts = [{source = \"/dump\", service = \"db\"}]\n[verifier]\nenvironment_mode = \"separate\"\n[[verifier.collect]]\nservice = \"db\"\ncommand = \"echo rows >/dump\"\n" +
				"-- environment/docker-compose.yaml --\nservices:\n  main: {}\n  db: {image: busybox, command: [sleep, '600']}\n" + look("cat /dump") + apartTask,
			want: outcome{score: 1}, check: seen("rows\n"),
		},
		{
			name: "a link in place of an artifact does not lead to the answer", args: []string{"--agent-cmd", "ln -s /tests/test.sh ok"},
			task: apartHead + apartTask, want: outcome{score: 0, warns: []string{"artifact_refused"}},
		},
		{
			name: "tests that leave no reward are told as anywhere", task: apartHead + "-- tests/test.sh --\n#!/bin/sh\necho oh; exit 5\n" + apartTask,
			want: outcome{code: "reward_missing", phase: "verifier", says: []string{"oh", "exit code 5"}},
		},
		{
			name: "tests that run into their limit are told as anywhere", args: []string{"--verifier-timeout", "1s"}, task: apartHead + "-- tests/test.sh --\n#!/bin/sh\nsleep 88\n" + apartTask,
			want: outcome{code: "verifier_timeout", phase: "verifier"},
		},
		{
			name: "an artifact that the task requires and the agent did not make is a fault", args: []string{"--agent", "nop"},
			task: strings.Replace(apartHead, "[verifier]", "[metadata.eval]\nrequired_artifacts = [\"ok\"]\n[verifier]", 1) + apartTask,
			want: outcome{code: "artifact_missing", phase: "collect", says: []string{"required artifact ok"}},
		},
		{
			name: "secrets cross as they are, and are hidden in what is kept", args: []string{"--agent-env", "API_TOKEN=sesame-12345", "--agent-cmd", "echo $API_TOKEN >ok"},
			task: apartHead + look("wc -c </app/ok; grep -c sesame /app/ok") + apartTask, want: outcome{score: 1}, check: seen("13\n1\n"),
		},
	})
}

// What became of the artifacts is listed where readers of Harbor's folders look for it.
func TestArtifactsAreListed(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, "--agent-cmd", "touch ok; mkdir none", newTask(t, "task", "-- task.toml --\nartifacts = [\"ok\", \"none\", \"missing\", {source = \"/app/ok\", destination = \"app/ok\"}]\n"))
	want := `[
  {
    "source": "ok",
    "destination": "artifacts/app/ok",
    "type": "file",
    "status": "ok"
  },
  {
    "source": "none",
    "destination": "artifacts/app/none",
    "type": "directory",
    "status": "empty"
  },
  {
    "source": "missing",
    "destination": "artifacts/app/missing",
    "type": "file",
    "status": "failed"
  },
  {
    "source": "/app/ok",
    "destination": "artifacts/app/ok",
    "type": "file",
    "status": "skipped"
  }
]
`
	if got := r.text(t, "artifacts", "manifest.json"); got != want {
		t.Errorf("%s", got)
	}
}

// Whatever an agent tries, it makes no score in a container that it never was in.
func TestSeparateVerifierIsNotForged(t *testing.T) {
	t.Parallel()
	win := `for f in /logs/verifier/reward.json /logs/artifacts/reward.json /logs/verifier/reward.txt; do echo '{"reward": 1}' >$f; done; `
	var list []behaviour
	for name, agent := range map[string]string{
		"plants rewards": win, "replaces the shell": win + "cp /bin/true /bin/sh.new; mv /bin/sh.new /bin/sh",
		"leaves a daemon that rewrites the reward":           "(setsid sh -c 'while :; do echo \"{\\\"reward\\\": 1}\" >/logs/verifier/reward.json; done' >/dev/null 2>&1 &)",
		"makes tests a link":                                 "mkdir /mine; printf '#!/bin/sh\\n" + "echo 1 >/logs/verifier/reward.txt" + "\\n' >/mine/test.sh; chmod +x /mine/test.sh; ln -s /mine /tests",
		"kills its helper":                                   win + "kill -9 -1",
		"deletes the log folders":                            "rm -rf /logs",
		"links its artifact folder to the verifier's folder": "rm -rf /logs/artifacts; ln -s /logs/verifier /logs/artifacts; " + win,
		"forks without end":                                  "(f() { f | f & }; f) >/dev/null 2>&1; sleep 1",
	} {
		b := behaviour{name: name, args: []string{"--agent-timeout", "4s", "--agent-cmd", agent},
			task: strings.Replace(apartHead, "[verifier]", "[environment]\nmemory_mb = 128\n[verifier]", 1) +
				"-- environment/docker-compose.yaml --\nservices:\n  main:\n    pids_limit: 200\n" + apartTask}
		list = append(list, b)
	}
	for _, b := range list {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			r := seatrialRun(t, append(b.args, newTask(t, "task", b.task))...)
			c := r.only(t)
			if c.Score != nil && *c.Score != 0 {
				t.Errorf("the agent made itself a score of %v\n%s", *c.Score, r.stderr)
			}
			if c.Score == nil && c.Error == nil {
				t.Error("neither a score nor a fault")
			}
			clean(t, r.id)
		})
	}
}

// Steps may be graded in either way; the agent's environment is frozen while an earlier one is graded elsewhere, and goes on after that.
func TestStepsWithMixedVerifiers(t *testing.T) {
	t.Parallel()
	const dockerfile = "-- steps/%/tests/Dockerfile --\nFROM busybox\nCOPY test.sh /tests/test.sh\n"
	file := func(step string) string { return strings.ReplaceAll(dockerfile, "%", step) }
	const separate = "[steps.verifier]\nenvironment_mode = \"separate\"\n"
	one, two := "artifacts = [\"one\"]\n", "artifacts = [\"two\"]\n"
	behave(t, []behaviour{
		{
			name: "shared, then separate", want: outcome{score: 1}, check: came("1", "1"),
			task: "-- task.toml --\n[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n" + two + separate + file("two") + twoSteps,
		},
		{
			name: "separate, then shared", want: outcome{score: 1}, check: came("1", "1"),
			task: "-- task.toml --\n[[steps]]\nname = \"one\"\n" + one + separate + "[[steps]]\nname = \"two\"\n" + file("one") + twoSteps,
		},
		{
			name: "separate, then separate", want: outcome{score: 1}, check: came("1", "1"),
			task: "-- task.toml --\n[verifier]\nenvironment_mode = \"separate\"\n[[steps]]\nname = \"one\"\n" + one + "[[steps]]\nname = \"two\"\n" + two + file("one") + file("two") + twoSteps,
		},
		{
			name: "a step's environment asks for separate in a shared task", want: outcome{score: 1}, check: came("1", "1"),
			task: "-- task.toml --\n[verifier]\nenvironment_mode = \"shared\"\n[[steps]]\nname = \"one\"\n" + one + "[steps.verifier.environment]\nworkdir = \"/w\"\n[[steps]]\nname = \"two\"\n" + file("one") + twoSteps,
		},
		{
			name: "a step is shared in a separate task", want: outcome{score: 1}, check: came("1", "1"),
			task: "-- task.toml --\n[verifier]\nenvironment_mode = \"separate\"\n[[steps]]\nname = \"one\"\n[steps.verifier]\nenvironment_mode = \"shared\"\n[[steps]]\nname = \"two\"\n" + two + file("two") + twoSteps,
		},
		{
			name: "a daemon of the first step is there again in the second", want: outcome{score: 1},
			args: []string{"--agent-cmd", "touch $SEATRIAL_STEP; case $SEATRIAL_STEP in one) setsid sleep 345 >/dev/null 2>&1 & ;; esac; sleep 0.2; pidof sleep | wc -w"},
			task: "-- task.toml --\n[[steps]]\nname = \"one\"\n" + one + separate + "[[steps]]\nname = \"two\"\n" + file("one") + twoSteps,
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "steps", "two", "agent", "stdout.log"); got != "1\n" {
					t.Errorf("%q of the daemons were there", got)
				}
			},
		},
		{
			name: "a step below its least reward ends the task with nothing left", args: []string{"--agent", "nop"}, want: outcome{score: 0, warns: []string{"artifact_missing", "min_reward"}}, check: came("0", "skipped"),
			task: "-- task.toml --\n[[steps]]\nname = \"one\"\nmin_reward = 1\n" + one + separate + "[[steps]]\nname = \"two\"\n" + file("one") + twoSteps,
		},
	})
}

func TestTheExampleWithASeparateVerifier(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "separate"))
	expect(t, r, outcome{score: 1})
	r = seatrialRun(t, "--agent", "nop", demo(t, "separate"))
	expect(t, r, outcome{score: 0, warns: []string{"artifact_missing"}})
}

func TestASeparateVerifierSeesTheFakesEvidence(t *testing.T) {
	t.Parallel()
	toml := "-- task.toml --\n" + strings.Replace(demoFile(t, "task.toml"), "[verifier]", "[verifier]\nenvironment_mode = \"separate\"", 1)
	task := newTask(t, "task", refund(t, toml+"-- tests/Dockerfile --\nFROM busybox\nCOPY test.sh /tests/test.sh\n"))
	expect(t, seatrialRun(t, append(by(t, "pass"), task)...), outcome{score: 1})
	expect(t, seatrialRun(t, append(by(t, "fail"), task)...), outcome{score: 0})
}

func TestArtifactsThatWouldReplaceTheTestsAreRefused(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"/tests", "/tests/lib.sh", "/", "/logs", "/bin", "/logs/verifier/reward.json"} {
		task := newTask(t, "task", strings.Replace(apartHead, "\"ok\"", "\"ok\", \""+source+"\"", 1)+apartTask)
		r := seatrialRun(t, task)
		if r.code != 2 || !strings.Contains(r.stderr, "task.toml:1:") || !strings.Contains(r.stderr, source+" would let the agent replace") {
			t.Errorf("%s: exit code %d\n%s", source, r.code, r.stderr)
		}
	}
}
