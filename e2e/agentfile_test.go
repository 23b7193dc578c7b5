package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// newAgent writes an agent's folder and returns its agent.toml.
func newAgent(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	return filepath.Join(dir, "agent.toml")
}

const agentHead = "-- agent.toml --\nname = \"walker\"\n"

func TestAgentFiles(t *testing.T) {
	t.Parallel()
	const run = "[run]\ncommand = \"touch /app/ok; cat /installed 2>/dev/null; id -un\"\n"
	prints := func(want string) func(*testing.T, *ran) {
		return func(t *testing.T, r *ran) {
			t.Helper()
			if got := r.text(t, "agent", "stdout.log"); got != want {
				t.Errorf("the agent printed %q, want %q", got, want)
			}
		}
	}
	for _, c := range []struct {
		name, agent, task string
		env, args         []string
		want              outcome
		check             func(*testing.T, *ran)
	}{
		{name: "one without an installation runs", agent: agentHead + run, want: outcome{score: 1}, check: prints("root\n")},
		{
			name: "installed as root, run as the task's user", agent: agentHead + "[install]\nscript = \"sub/install.sh\"\n" + run + "-- sub/install.sh --\n#!/bin/sh\necho $(id -un) $PWD $(cat data) >/installed\n-- data --\nfrom the folder\n",
			task: "-- task.toml --\n[agent]\nuser = \"nobody\"\n-- environment/Dockerfile --\nFROM busybox\nRUN mkdir -m 777 /app\nWORKDIR /app\nUSER daemon\n",
			want: outcome{score: 1}, check: prints("root /.seatrial-agent from the folder\nnobody\n"),
		},
		{
			name: "the image's user stays that of the task", agent: agentHead + "[install]\nscript = \"install.sh\"\n" + run + "-- install.sh --\ntrue\n",
			task: "-- environment/Dockerfile --\nFROM busybox\nRUN mkdir -m 777 /app\nWORKDIR /app\nUSER daemon\n", want: outcome{score: 1}, check: prints("daemon\n"),
		},
		{
			name: "files and folders are where they are wanted", want: outcome{score: 1}, check: prints("one\ntwo\n"),
			agent: agentHead + "[[files]]\nsource = \"a file\"\ntarget = \"/opt/x/one\"\n[[files]]\nsource = \"dir\"\ntarget = \"/opt/dir\"\n[run]\ncommand = \"cat /opt/x/one /opt/dir/two; touch ok\"\n-- a file --\none\n-- dir/two --\ntwo\n",
		},
		{
			name: "an installation has no network unless it asks for one", want: outcome{score: 1}, check: prints("lo\nroot\n"),
			agent: agentHead + "[install]\nscript = \"install.sh\"\n" + run + "-- install.sh --\nls /sys/class/net | grep -v -e tunl -e sit -e ip6 -e gre -e erspan >/installed\n",
		},
		{
			name: "an installation that fails is the agent's fault", agent: agentHead + "[install]\nscript = \"install.sh\"\n" + run + "-- install.sh --\necho no such thing; exit 7\n",
			want: outcome{code: "agent_error", phase: "setup", says: []string{"walker could not be installed", "no such thing"}},
		},
		{
			name: "an installation that hangs is ended by its limit", agent: agentHead + "[install]\nscript = \"install.sh\"\ntimeout_sec = 1.5\n" + run + "-- install.sh --\nsleep 99\n",
			want: outcome{code: "setup_timeout", phase: "setup", says: []string{"agent_setup", "agent.toml"}},
		},
		{
			name: "secrets come by name and stay hidden", env: []string{"WALKER_KEY=sesame-98765"}, want: outcome{score: 1}, check: prints("14 [masked]\n"),
			agent: agentHead + "[run]\ncommand = \"echo $(echo $WALKER_KEY$SUFFIX | wc -c) $WALKER_KEY; touch ok\"\nenv = [\"WALKER_KEY\"]\n[run.set]\nSUFFIX = \"x\"\n",
		},
		{
			name: "its own limit holds where it is shorter than the task's", agent: agentHead + "[run]\ncommand = \"touch ok; sleep 71\"\ntimeout_sec = 1\n",
			want: outcome{score: 1, warns: []string{"agent_timed_out"}, says: []string{"agent.toml [run] timeout_sec"}},
		},
		{
			name: "logs and trajectory are kept from where it writes them", want: outcome{score: 1, warns: []string{"agent_file_missing"}},
			agent: agentHead + "model = \"vendor/small\"\n[run]\ncommand = \"mkdir -p /tmp/l; echo line >/tmp/l/log; echo '{\\\"schema_version\\\": \\\"ATIF-v1.4\\\", \\\"steps\\\": [], \\\"agent\\\": {\\\"name\\\": \\\"w\\\", \\\"version\\\": \\\"1\\\", \\\"model_name\\\": \\\"small\\\"}}' >/tmp/t.json; touch ok\"\nlogs = [\"/tmp/l\", \"/tmp/none\"]\ntrajectory = \"/tmp/t.json\"\n",
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "agent", "tmp", "l", "log"); got != "line\n" {
					t.Errorf("the log is %q", got)
				}
			},
		},
		{
			name: "another model than was asked for makes the case incomplete", args: []string{"--model", "vendor/large"},
			want:  outcome{code: "model_mismatch", phase: "agent", says: []string{"vendor/large", "vendor/small"}},
			agent: agentHead + "model = \"vendor/small\"\n[run]\ncommand = \"echo '{\\\"schema_version\\\": \\\"ATIF-v1.4\\\", \\\"steps\\\": [], \\\"agent\\\": {\\\"name\\\": \\\"w\\\", \\\"version\\\": \\\"1\\\", \\\"model_name\\\": \\\"vendor/small\\\"}}' >/logs/agent/trajectory.json; touch ok\"\n",
		},
		{
			name: "a model that nothing shows is told", agent: agentHead + "model = \"vendor/small\"\n" + run, want: outcome{score: 1, warns: []string{"model_unobserved"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := seatrialRunWith(t, c.env, append([]string{"--agent", newAgent(t, c.agent), newTask(t, "task", c.task)}, c.args...)...)
			expect(t, r, c.want)
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
}

// The layer with the agent is made once for an image and a state of the agent's folder.
func TestAnAgentIsInstalledOnce(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, agentHead+"[install]\nscript = \"install.sh\"\n[run]\ncommand = \"cat /installed; touch ok\"\n-- install.sh --\nhead -c 16 /dev/urandom | md5sum >/installed\n")
	one, other := newTask(t, "task", ""), newTask(t, "task", "-- environment/Dockerfile --\nFROM busybox\nWORKDIR /app\nRUN touch /other\n")
	printed := func(task string) string {
		t.Helper()
		r := seatrialRun(t, "--agent", agent, task)
		expect(t, r, outcome{score: 1})
		return r.text(t, "agent", "stdout.log")
	}
	first := printed(one)
	if printed(one) != first {
		t.Error("it was installed again for the same image")
	}
	if printed(other) == first {
		t.Error("it was not installed for another image")
	}
	write(t, filepath.Join(filepath.Dir(agent), "more"), []byte("x"))
	if printed(one) == first {
		t.Error("it was not installed again after a change of its folder")
	}
}

func TestAnAgentGoesOnInLaterSteps(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, agentHead+"[run]\ncommand = \"echo new; touch $SEATRIAL_STEP\"\ncontinue = \"echo continued; touch $SEATRIAL_STEP\"\n")
	task := newTask(t, "task", "-- task.toml --\n"+declared+twoSteps)
	for args, want := range map[string]string{"": "continued\n", "--fresh-steps": "new\n"} {
		r := seatrialRun(t, append(strings.Fields(args), "--agent", agent, task)...)
		expect(t, r, outcome{score: 1})
		if got := r.text(t, "steps", "two", "agent", "stdout.log"); got != want {
			t.Errorf("%q: the second step printed %q", args, got)
		}
	}
}

func TestAnAgentFileThatIsWrongStartsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent string
		want  string
	}{
		"a typo":                            {agentHead + "[run]\ncomand = \"x\"\n", "agent.toml:3:1: run.comand"},
		"a variable that the host lacks":    {agentHead + "[run]\ncommand = \"x\"\nenv = [\"NO_SUCH_VARIABLE\"]\n", "NO_SUCH_VARIABLE"},
		"a script that is not in its place": {agentHead + "[install]\nscript = \"x.sh\"\n[run]\ncommand = \"x\"\n", "x.sh is not in the agent's folder"},
	} {
		r := seatrialRun(t, "--agent", newAgent(t, c.agent), newTask(t, "task", ""))
		if r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}

func TestTheExampleAgent(t *testing.T) {
	t.Parallel()
	agent, err := filepath.Abs(filepath.Join("..", "testdata", "agents", "scripted", "agent.toml"))
	if err != nil {
		t.Fatal(err)
	}
	r := seatrialRun(t, "--agent", agent, newTask(t, "task", "-- instruction.md --\nMake the file /app/ok.\n\n$ touch /app/ok\n"))
	expect(t, r, outcome{score: 1})
	if got := r.record.Candidate; got.Agent != "scripted" || got.Model == nil || *got.Model != "example/none" {
		t.Errorf("candidate %+v", got)
	}
}
