package e2e_test

import (
	"encoding/json"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "nowhere")
	empty := t.TempDir()
	broken := newTask(t, "task", "-- task.toml --\n[agent]\ntimeout_secs = 3\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a path that is not there", []string{missing}, 2, missing},
		{"a folder without a task", []string{empty}, 2, empty},
		{"only broken tasks", []string{broken}, 2, "timeout_sec"},
		{"a flag that does not exist", []string{"--no-such-flag", demo(t, "hello")}, 2, "--no-such-flag"},
		{"an unknown agent", []string{"--agent", "claude", demo(t, "hello")}, 2, "claude"},
		{"two agents", []string{"--agent", "nop", "--agent-cmd", "true", demo(t, "hello")}, 2, "exclude"},
		{"a run id that is no file name", []string{"--run-id", "../x", demo(t, "hello")}, 2, "run id"},
		{"a mean that reaches the gate", []string{"--min-score", "1", demo(t, "hello")}, 0, ""},
		{"a mean below the gate", []string{"--min-score", "1", demo(t, "hello"), demo(t, "failing-agent")}, 1, ""},
		{"two tasks for one case", []string{demo(t, "hello"), newTask(t, "task", "-- task.toml --\n[metadata.eval]\ncase = \"hello\"\n")}, 2, "implemented twice"},
		{"a variable that the host does not have", []string{"--agent-env", "E2E_NOT_SET", demo(t, "hello")}, 2, "E2E_NOT_SET"},
		{"a gate that is no number", []string{"--min-score", "NaN", demo(t, "hello")}, 2, "min-score"},
		{"a task without a solution for the oracle", []string{newTask(t, "task", "-- !solution/solve.sh --\n")}, 2, "solution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := seatrial(t, nil, append([]string{"run", "--runs-dir", t.TempDir()}, c.args...)...)
			if code != c.code || !strings.Contains(errs, c.says) {
				t.Errorf("exit code %d, want %d, and %q on the console\n%s%s", code, c.code, c.says, out, errs)
			}
		})
	}
}

func TestARunIDThatIsTakenIsRefused(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	first, _, _ := seatrial(t, nil, "run", "--runs-dir", runs, "--run-id", "once", demo(t, "hello"))
	second, _, errs := seatrial(t, nil, "run", "--runs-dir", runs, "--run-id", "once", demo(t, "hello"))
	if first != 0 || second != 2 || !strings.Contains(errs, "once") {
		t.Errorf("exit codes %d and %d, want 0 and 2\n%s", first, second, errs)
	}
}

func TestAnEngineThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, host := range map[string]string{
		"nobody listens":     "unix://" + filepath.Join(t.TempDir(), "none.sock"),
		"nobody answers":     "unix://" + silent.Addr().String(),
		"no engine address":  "nonsense",
		"nobody on the port": "tcp://127.0.0.1:1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range [][]string{{"run", "--runs-dir", t.TempDir(), demo(t, "hello")}, {"gc"}} {
				started := time.Now()
				code, _, errs := seatrial(t, []string{"DOCKER_HOST=" + host}, verb...)
				if took := time.Since(started); took > 15*time.Second {
					t.Errorf("%s took %s", verb[0], took)
				}
				if code != 4 && name != "no engine address" || code != 4 && code != 2 || !strings.Contains(errs, strings.TrimPrefix(host, "unix://")) {
					t.Errorf("%s: exit code %d\n%s", verb[0], code, errs)
				}
			}
		})
	}
}

func TestJSONOnStandardOutputIsTheRecord(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, "--json", demo(t, "hello"), demo(t, "failing-agent"))
	var rec runRecord
	if err := json.Unmarshal([]byte(r.stdout), &rec); err != nil {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	if rec.RunID != r.id || len(rec.Cases) != 2 || rec.Status != "finished" || r.code != 0 {
		t.Errorf("run %q with %d cases is %s, exit code %d", rec.RunID, len(rec.Cases), rec.Status, r.code)
	}
}

func TestTheProgramNeedsNoTerminalAndReadsNoInput(t *testing.T) {
	t.Parallel()
	need(t)
	script := `cd "$0" && printf 'e2e-loop-one\ne2e-loop-two\n' | while read -r name; do "$1" run --runs-dir "$0/runs" --run-id "$name" "$2" 2>>"$0/console" || echo failed; done`
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script, dir, shared.binary, demo(t, "hello"))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "DOCKER_HOST=" + shared.engine.DaemonHost()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "failed") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range []string{"e2e-loop-one", "e2e-loop-two"} {
		var rec runRecord
		readJSON(t, filepath.Join(dir, "runs", name, "run.json"), &rec)
		clean(t, name)
	}
	cmd = exec.CommandContext(t.Context(), "sh", "-c", `exec "$1" run --runs-dir "$0/runs" --run-id e2e-closed "$2" <&-`, dir, shared.binary, demo(t, "hello"))
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "\x1b") {
		t.Errorf("%v\n%q", err, out)
	}
}

func TestVariablesOfComposeDoNotMoveAnything(t *testing.T) {
	t.Parallel()
	j := begin(t, []string{"COMPOSE_PROJECT_NAME=foreign", "COMPOSE_FILE=/nowhere.yaml", "COMPOSE_PROFILES=x", "COMPOSE_ENV_FILES=/nowhere.env"}, newTask(t, "task", slowStack))
	j.awaitPhase("agent", "")
	for _, c := range containers(t, j.id) {
		if strings.Contains(strings.Join(c.Names, " "), "foreign") {
			t.Errorf("container %v", c.Names)
		}
	}
	r := j.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
}

func TestARecordSaysWhatRan(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "sidecar"))
	env, c := r.record.Environment, r.only(t)
	if env.Docker == "" || env.API == "" || env.Host == "" || len(env.Images) != 2 {
		t.Errorf("environment %+v", env)
	}
	for ref, id := range env.Images {
		if !strings.HasPrefix(id, "sha256:") {
			t.Errorf("image %s is %q", ref, id)
		}
	}
	if !strings.HasPrefix(c.Task.Checksum, "sha256:") || c.ID != "sidecar" || c.LegacyID != "seatrial/sidecar" {
		t.Errorf("case %+v", c)
	}
	if tr := r.trial(t); len(tr.Images) != 2 || len(tr.Containers) != 2 {
		t.Errorf("images %v, containers %v", tr.Images, tr.Containers)
	}
}
