package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

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
		{"a step without its folder", "-- task.toml --\n[[steps]]\nname = \"one\"\n", 2, []string{"steps/one", "missing"}},
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

func TestUnknownKeysAreWarningsOnDemand(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, "--lax", newTask(t, "task", "-- task.toml --\n[agent]\ntimeout_secs = 3\n"))
	expect(t, r, outcome{score: 1})
	if !strings.Contains(fmt.Sprint(r.only(t).Warnings), "timeout_secs") {
		t.Errorf("warnings %+v", r.only(t).Warnings)
	}
}
