package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTestsThatEndOddly(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "a background child that holds the output open does not hold up the trial",
			task: "-- tests/test.sh --\n#!/bin/sh\necho '{\"reward\": 1}' >/logs/verifier/reward.json\nsleep 600 &\nexit 0\n",
			want: outcome{score: 1, warns: []string{"verifier_leftovers"}},
			check: func(t *testing.T, r *ran) {
				if c, v := r.only(t), r.trial(t).Verifier; *c.Timing.Verifier > 10 || *v.Exit != 0 || v.LeftoverCount < 1 {
					t.Errorf("verifier %+v, timing %+v", v, c.Timing)
				}
			},
		},
		{
			name: "a reward written before the limit of the tests does not count",
			task: `
-- task.toml --
[verifier]
timeout_sec = 2.5
-- tests/test.sh --
#!/bin/sh
echo '{"reward": 1}' >/logs/verifier/reward.json
for i in 1 2 3; do echo $i; sleep 1; done
printf 4
sleep 60
`,
			want: outcome{code: "verifier_timeout", phase: "verifier", says: []string{"task.toml [verifier] timeout_sec"}},
			check: func(t *testing.T, r *ran) {
				if log := r.text(t, "verifier", "test-stdout.txt"); !strings.HasPrefix(log, "1\n2\n") || !strings.Contains(log, "seatrial: ended by") {
					t.Errorf("stdout %q", log)
				}
				if e := r.only(t).Error; e.Limit == nil || *e.Limit != 2.5 || !slices.Contains(e.Lines, "2") {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "a reward that a background process completes after test.sh is broken",
			task: "-- tests/test.sh --\n#!/bin/sh\nprintf '{\"rew' >/logs/verifier/reward.json\n(sleep 1; printf 'ard\": 1}' >>/logs/verifier/reward.json) &\n",
			want: outcome{code: "reward_invalid", phase: "rewards"},
		},
		{
			name: "a valid reward counts although test.sh fails, and its exit code is recorded",
			task: "-- tests/test.sh --\n#!/bin/sh\necho '{\"reward\": 0.5}' >/logs/verifier/reward.json\nexit 5\n",
			want: outcome{score: 0.5},
			check: func(t *testing.T, r *ran) {
				if v := r.trial(t).Verifier; *v.Exit != 5 {
					t.Errorf("verifier %+v", v)
				}
			},
		},
		{
			name: "tests that kill every process end in a fault, whatever they wrote",
			task: "-- tests/test.sh --\n#!/bin/sh\necho '{\"reward\": 1}' >/logs/verifier/reward.json\nkill -9 -1\nsleep 9\n",
			want: outcome{code: "verifier_error", phase: "verifier"},
		},
		{
			name: "tests that exceed the memory limit are told as such",
			task: `
-- task.toml --
[environment]
memory_mb = 32
-- tests/test.sh --
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=100M count=1 | cat
echo '{"reward": 0}' >/logs/verifier/reward.json
`,
			want: outcome{score: 0, warns: []string{"verifier_oom"}},
		},
	})
}

func TestTestsWithoutAReward(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "test.sh that exits with 3 is told with its code and last lines",
			task: "-- tests/test.sh --\n#!/bin/sh\necho looking\necho 'pytest: not found' >&2\nexit 3\n",
			want: outcome{code: "reward_missing", phase: "verifier", says: []string{"pytest: not found"}},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; e.Exit == nil || *e.Exit != 3 || !slices.Contains(e.Lines, "pytest: not found") {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "test.sh that exits with 0 is told apart from one that failed",
			task: "-- tests/test.sh --\n#!/bin/sh\necho all fine\n",
			want: outcome{code: "reward_missing", phase: "verifier", says: []string{"all fine"}},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; e.Exit == nil || *e.Exit != 0 {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "test.sh that leaves details only is told with what was found",
			task: "-- tests/test.sh --\n#!/bin/sh\necho '{}' >/logs/verifier/reward-details.json\n",
			want: outcome{code: "reward_missing", phase: "verifier"},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; !slices.Contains(e.Files, "reward-details.json") {
					t.Errorf("files %v", e.Files)
				}
			},
		},
		{
			name: "test.sh whose interpreter is missing has not run",
			task: "-- tests/test.sh --\n#!/bin/bash\necho 1 >/logs/verifier/reward.txt\n",
			want: outcome{code: "verifier_error", phase: "verifier", says: []string{"/bin/bash"}},
			check: func(t *testing.T, r *ran) {
				if v := r.trial(t).Verifier; v.Exit != nil || v.StartError != "interpreter_missing" {
					t.Errorf("verifier %+v", v)
				}
			},
		},
	})
}

func TestWhatTestsFind(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "tests and solution are not there for an agent, and what it plants is gone for the tests",
			task: `
-- tests/lib/check.sh --
#!/bin/sh
[ "$(cd /tests && find . | sort -u | tr '\n' ' ')" = '. ./lib ./lib/check.sh ./test.sh ' ] && [ -z "$(ls -A /logs/verifier)" ] && [ ! -L /logs/verifier ]
-- tests/test.sh --
#!/bin/sh
find /tests /logs
/tests/lib/check.sh && [ -e /app/ok ] && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`,
			args: []string{"--agent-cmd", `[ ! -e /tests ] && [ ! -e /solution ] && touch /app/ok
				mkdir -p /tests/test.sh/x; touch /tests/conftest.py; ln -s /etc /tests/lib
				rm -rf /logs/verifier; ln -s /etc /logs/verifier; mount -t tmpfs none /tests; exit 0`},
			want: outcome{score: 1},
		},
		{
			name: "a link in the place of the tests folder is not followed",
			task: `
-- tests/test.sh --
#!/bin/sh
[ -d /tests ] && [ ! -L /tests ] && [ ! -e /app/test.sh ] && [ -e /app/precious ] && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`,
			args: []string{"--agent-cmd", "touch /app/precious; ln -s /app /tests; ln -s /app /solution"},
			want: outcome{score: 1},
		},
		{
			name: "a planted reward is evidence and never a score",
			task: "-- tests/test.sh --\n#!/bin/sh\necho '{\"reward\": 0}' >/logs/verifier/reward.json\n",
			args: []string{"--agent-cmd", "echo 1 >/logs/verifier/reward.txt"},
			want: outcome{score: 0, warns: []string{"reward_planted"}},
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "artifacts", "planted-in-verifier", "reward.txt"); got != "1\n" {
					t.Errorf("evidence %q", got)
				}
			},
		},
		{
			name: "a planted reward does not stand in for one that the tests fail to write",
			task: "-- tests/test.sh --\n#!/bin/sh\nexit 1\n",
			args: []string{"--agent-cmd", `echo '{"reward": 1}' >/logs/verifier/reward.json; echo 1 >/logs/verifier/reward.txt`},
			want: outcome{code: "reward_missing", phase: "verifier"},
		},
		{
			name: "a process that goes on planting rewards does not win",
			task: "-- tests/test.sh --\n#!/bin/sh\nsleep 1\nexit 1\n",
			args: []string{"--agent-timeout", "1s", "--agent-cmd", `trap '' TERM; while :; do echo '{"reward": 1}' >/logs/verifier/reward.json; done`},
			want: outcome{code: "agent_timeout", phase: "agent"},
		},
		{
			name: "test.sh runs in the task's working directory with the verifier's variables",
			task: `
-- task.toml --
[environment]
workdir = "/app/deep"
[environment.env]
BOTH = "both"
[verifier.env]
ONLY_TESTS = "a b$c"
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
RUN mkdir deep
-- solution/solve.sh --
#!/bin/sh
[ "$PWD" = /app/deep ] && [ "$BOTH" = both ] && [ -z "$ONLY_TESTS" ] && touch /app/ok
-- tests/test.sh --
#!/bin/sh
[ "$PWD" = /app/deep ] && [ "$BOTH" = both ] && [ "$ONLY_TESTS" = 'a b$c' ] && [ -e /app/ok ] && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`,
			want: outcome{score: 1},
		},
		{
			name: "a test.sh without a first line for an interpreter is run by a shell",
			task: "-- tests/test.sh --\necho '{\"reward\": 1}' >/logs/verifier/reward.json\n",
			want: outcome{score: 1},
		},
	})
}

func TestALinkInTheTestsIsNotFollowedOnTheHost(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", `
-- tests/test.sh --
#!/bin/sh
cat /tests/leak /tests/inside
[ ! -e /tests/leak ] && [ "$(cat /tests/inside)" = here ] && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
-- tests/lib/data --
here
`)
	for link, target := range map[string]string{"leak": secretOnHost(t), "inside": "lib/data"} {
		if err := os.Symlink(target, filepath.Join(dir, "tests", link)); err != nil {
			t.Fatal(err)
		}
	}
	r := seatrialRun(t, dir)
	if r.code == 2 && strings.Contains(r.stderr, "leak") {
		return // refused, which is as good
	}
	expect(t, r, outcome{score: 1})
	if strings.Contains(r.text(t, "verifier", "test-stdout.txt"), "host-secret") {
		t.Error("the tests saw a file of the host")
	}
}
