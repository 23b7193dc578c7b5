package e2e_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestSecretsAreInNoFileAndNoArgument(t *testing.T) {
	t.Parallel()
	const agent, tests, env, compose = "agent-S3cret-0001", "tests-S3cret-0002", "task-S3cret-0003", "sidecar-S3cret-0004"
	dir := newTask(t, "task", `
-- task.toml --
[environment.env]
TASK_TOKEN = "${E2E_TASK_TOKEN}"
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["sh", "-c", "echo password is $$DB_PASSWORD; nc -l -p 99; echo password was $$DB_PASSWORD; exit 1"]
    environment: {DB_PASSWORD: "${E2E_DB_PASSWORD}"}
-- tests/test.sh --
#!/bin/sh
env
echo "{\"reward\": 1}" >/logs/verifier/reward.json
echo "{\"reward\": {\"criteria\": [{\"name\": \"x\", \"value\": 1, \"reasoning\": \"$E2E_TESTS_KEY\"}]}}" >/logs/verifier/reward-details.json
nc db 99 </dev/null
sleep 5
`)
	j := begin(t, []string{"E2E_AGENT_KEY=" + agent, "E2E_TESTS_KEY=" + tests, "E2E_TASK_TOKEN=" + env, "E2E_DB_PASSWORD=" + compose},
		"--agent-env", "E2E_AGENT_KEY", "--verifier-env", "E2E_TESTS_KEY", "--compose-env", "E2E_DB_PASSWORD",
		"--agent-cmd", `env; env >&2; printf %s "$E2E_AGENT_KEY" >/logs/agent/key; for i in 1 2 3; do printf 'agent-S3'; sleep 0.3; printf 'cret-0001\n'; done; ls "$TASK_TOKEN"; exit 1`, dir)
	secrets := []string{agent, tests, env, compose}
	seen := map[string]bool{}
	until(t, time.Minute, "the run ends", func() bool {
		for _, s := range secrets {
			for _, p := range processes(t, s) {
				seen[p] = true
			}
		}
		return !j.running()
	})
	r := j.end()
	for p := range seen {
		t.Errorf("in an argument list: %s", p)
	}
	if c := r.only(t); c.Error == nil || c.Error.Code != "sidecar_failed" {
		t.Errorf("the sidecar did not fail as it should to show its log: %+v", c.Error)
	}
	for _, s := range secrets {
		for _, form := range []string{s, base64.StdEncoding.EncodeToString([]byte(s))} {
			everyFile(t, r.dir, func(name string, data []byte) {
				if strings.Contains(string(data), form) {
					t.Errorf("%s is in %s", form, name)
				}
			})
			if strings.Contains(r.stderr+r.stdout, form) {
				t.Errorf("%s is on the console", form)
			}
		}
	}
	if log := r.text(t, "agent", "stdout.log"); !strings.Contains(log, "E2E_AGENT_KEY=") || !strings.Contains(log, "TASK_TOKEN=") {
		t.Errorf("the names are not there any more: %s", log)
	}
	if strings.Join(r.record.Spec.AgentEnv, " ") != "E2E_AGENT_KEY" {
		t.Errorf("names of variables in the record: %v", r.record.Spec.AgentEnv)
	}
	clean(t, r.id)
}

func TestAValueOnTheCommandLineIsNotRecorded(t *testing.T) {
	t.Parallel()
	const secret = "given-S3cret-0005"
	for _, args := range [][]string{{"--agent-env", "API_KEY=" + secret}, {"--agent-env=API_KEY=" + secret}} {
		r := seatrialRun(t, append(args, "--agent-cmd", "echo $API_KEY; touch /app/ok", newTask(t, "task", ""))...)
		expect(t, r, outcome{score: 1})
		everyFile(t, r.dir, func(name string, data []byte) {
			if strings.Contains(string(data), secret) {
				t.Errorf("the value is in %s", name)
			}
		})
		if log := r.text(t, "agent", "stdout.log"); !strings.Contains(log, "masked") {
			t.Errorf("the agent did not get the value, or it is not marked: %q", log)
		}
		if !strings.Contains(strings.Join(r.record.Spec.Args, " "), "API_KEY") {
			t.Errorf("arguments %v", r.record.Spec.Args)
		}
	}
}

func TestTheHostsEnvironmentReachesNothing(t *testing.T) {
	t.Parallel()
	j := begin(t, []string{"E2E_HOST_ONLY=host-S3cret-0006"}, newTask(t, "task", `
-- environment/docker-compose.yaml --
services:
  main: {}
  other: {image: busybox, command: ["sh", "-c", "env; sleep 100"]}
-- solution/solve.sh --
#!/bin/sh
env | grep -q E2E_HOST_ONLY || touch /app/ok
`))
	r := j.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
	code, _, errs := seatrial(t, []string{"E2E_HOST_ONLY=host-S3cret-0006"}, "run", "--runs-dir", t.TempDir(), newTask(t, "task",
		"-- environment/docker-compose.yaml --\nservices:\n  main: {build: {context: ., args: {A: \"${E2E_HOST_ONLY}\"}}}\n"))
	if code != 2 || !strings.Contains(errs, "E2E_HOST_ONLY") || strings.Contains(errs, "S3cret") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// TestFilesOfARunAreNotOpenToWriteForOthers also holds for a lax umask, which a shell around the program may have set.
func TestFilesOfARunAreNotOpenToWriteForOthers(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "partial"))
	err := filepath.WalkDir(r.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s has mode %s", name, strconv.FormatUint(uint64(st.Mode().Perm()), 8))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
