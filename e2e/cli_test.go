package e2e_test

import (
	"encoding/json"
	"fmt"
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
	silent, err := net.Listen("unix", filepath.Join(t.TempDir(), "s")) //nolint:noctx // closed at the end
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

func TestCheck(t *testing.T) {
	t.Parallel()
	nobody := []string{"DOCKER_HOST=unix:///nowhere.sock"}
	const compose = "-- environment/docker-compose.yaml --\nservices:\n  main: {}\n  db:\n    image: busybox\n"
	for _, c := range []struct {
		name, task string
		code       int
		says       []string
	}{
		{"a task that is right", "", 0, []string{"ok"}},
		{"a misspelt key", "-- task.toml --\n[agent]\ntimeout_secs = 3\n", 2, []string{"task.toml:2", "timeout_secs", "timeout_sec"}},
		{"a key in the wrong table", "-- task.toml --\n[environment]\ntimeout_sec = 3\n", 2, []string{"task.toml:2", "timeout_sec"}},
		{"a limit that is no number", "-- task.toml --\n[agent]\ntimeout_sec = nan\n", 2, []string{"task.toml:2"}},
		{"a limit of zero", "-- task.toml --\n[verifier]\ntimeout_sec = 0\n", 2, []string{"task.toml:2"}},
		{"a table twice", "-- task.toml --\n[agent]\ntimeout_sec = 3\n[agent]\ntimeout_sec = 4\n", 2, []string{"task.toml:3"}},
		{"no instruction", "-- !instruction.md --\n", 2, []string{"instruction.md"}},
		{"no test.sh", "-- !tests/test.sh --\n", 2, []string{"tests/test.sh"}},
		{"a compose key that is not honoured", compose + "    links: [main]\n", 2, []string{"docker-compose.yaml", "db", "links"}},
		{"the engine's socket", compose + "    volumes: [\"/var/run/docker.sock:/s\"]\n", 2, []string{"--allow"}},
		{"a privileged sidecar", compose + "    privileged: true\n", 2, []string{"privileged", "--allow"}},
		{"a variable that the task does not declare", compose + "    environment: {KEY: \"${UNDECLARED_KEY}\"}\n", 2, []string{"UNDECLARED_KEY"}},
		{"steps, which cannot be run yet", "-- task.toml --\n[[steps]]\nname = \"one\"\n-- steps/one/instruction.md --\nGo.\n", 2, []string{"steps"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := seatrial(t, nobody, "check", newTask(t, "task", c.task))
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, s := range c.says {
				if !strings.Contains(out+errs, s) {
					t.Errorf("%q is not said:\n%s%s", s, out, errs)
				}
			}
		})
	}
}

func TestCheckFindsWindowsLineEndings(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "")
	write(t, filepath.Join(dir, "tests", "test.sh"), []byte("#!/bin/sh\r\necho 1 >/logs/verifier/reward.txt\r\n"))
	for _, verb := range []string{"check", "run"} {
		args := []string{verb, dir}
		if verb == "run" {
			args = append(args, "--runs-dir", t.TempDir())
		}
		code, out, errs := seatrial(t, nil, args...)
		if code != 2 || !strings.Contains(errs, "test.sh:1") || !strings.Contains(errs, "Windows line endings") {
			t.Errorf("%s: exit code %d\n%s%s", verb, code, out, errs)
		}
	}
	crlf := newTask(t, "crlf", "")
	write(t, filepath.Join(crlf, "task.toml"), []byte("[agent]\r\ntimeout_sec = 9\r\n"))
	write(t, filepath.Join(crlf, "instruction.md"), []byte("Go.\r\n"))
	write(t, filepath.Join(crlf, "environment", "docker-compose.yaml"), []byte("services:\r\n  main: {}\r\n"))
	expect(t, seatrialRun(t, crlf), outcome{score: 1})
}

func TestThePlanNamesEveryLimitAndItsSource(t *testing.T) {
	t.Parallel()
	code, out, errs := seatrial(t, []string{"DOCKER_HOST=unix:///nowhere.sock"}, "check", "--plan", "--verifier-timeout", "7s", demo(t, "sidecar"))
	for _, want := range []string{"1m0s     task.toml [agent] timeout_sec", "7s       --verifier-timeout", "store", "no-network"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d; %q is missing in\n%s%s", code, want, out, errs)
		}
	}
}

func TestTheTaskFolderIsNeverWrittenTo(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "-- tests/test.sh --\n#!/bin/sh\necho 'echo 1' >>/tests/test.sh\necho '{\"reward\": 0}' >/logs/verifier/reward.json\n")
	var sums []string
	for range 2 {
		r := seatrialRun(t, dir)
		expect(t, r, outcome{score: 0})
		sums = append(sums, r.only(t).Task.Checksum)
	}
	if sums[0] != sums[1] || sums[0] == "" {
		t.Errorf("checksums %v", sums)
	}
}

func TestTemplatesInEnvironments(t *testing.T) {
	t.Parallel()
	task := `
-- task.toml --
[environment.env]
GIVEN = "${E2E_HOST_VALUE}"
ELSE = "${E2E_NOT_SET:-otherwise}"
-- solution/solve.sh --
#!/bin/sh
[ "$GIVEN" = 'from the host $x' ] && [ "$ELSE" = otherwise ] && touch /app/ok
`
	dir := newTask(t, "task", task)
	j := begin(t, []string{"E2E_HOST_VALUE=from the host $x"}, dir)
	expect(t, j.end(), outcome{score: 1})
	code, _, errs := seatrial(t, nil, "run", "--runs-dir", t.TempDir(), dir)
	if code != 2 || !strings.Contains(errs, "E2E_HOST_VALUE") {
		t.Errorf("without the variable: exit code %d\n%s", code, errs)
	}
}

func TestTwoRunsOfANewImageBuildItOnce(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", fmt.Sprintf("-- environment/Dockerfile --\nFROM busybox\nWORKDIR /app\nRUN sleep 2 # %d\n", time.Now().UnixNano()))
	a, b := begin(t, nil, dir), begin(t, nil, dir)
	ra, rb := a.end(), b.end()
	expect(t, ra, outcome{score: 1})
	expect(t, rb, outcome{score: 1})
	if x, y := ra.trial(t).Images["main"], rb.trial(t).Images["main"]; x == "" || x != y {
		t.Errorf("images %q and %q", x, y)
	}
}

func TestUnknownKeysAreWarningsOnDemand(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, "--lax", newTask(t, "task", "-- task.toml --\n[agent]\ntimeout_secs = 3\n"))
	expect(t, r, outcome{score: 1})
	if !strings.Contains(fmt.Sprint(r.only(t).Warnings), "timeout_secs") {
		t.Errorf("warnings %+v", r.only(t).Warnings)
	}
}

func TestAnAgentThatIsCutOffDoesNotSlowTheNextTrial(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const spin = "#!/bin/sh\ntrap '' TERM\nfor i in 1 2 3 4; do (while :; do :; done) & done\nwhile :; do :; done\n"
	makeTask(t, dir+"/a", "-- task.toml --\n[agent]\ntimeout_sec = 1\n-- solution/solve.sh --\n"+spin)
	makeTask(t, dir+"/b", "-- solution/solve.sh --\n#!/bin/sh\ntop -b -n 1 | grep -c while\ntouch /app/ok\n")
	r := seatrialRun(t, dir)
	if r.code != 0 || len(r.record.Cases) != 2 || r.record.Cases[1].Score == nil || *r.record.Cases[1].Score != 1 || !r.record.Cases[0].warned("agent_timed_out") {
		t.Errorf("exit code %d, cases %s", r.code, describe(r))
	}
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
