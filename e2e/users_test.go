package e2e_test

import (
	"slices"
	"testing"
)

// whoami is a solution, or a test.sh, that writes who runs it and where.
const whoami = `#!/bin/sh
echo "$(id -u):$(id -g) $HOME $PWD"
`

func user(solution, tests string) func(*testing.T, *ran) {
	return func(t *testing.T, r *ran) {
		t.Helper()
		if got := r.text(t, "agent", "stdout.log"); got != solution+"\n" {
			t.Errorf("the agent ran as %q, want %q", got, solution)
		}
		if got := r.text(t, "verifier", "test-stdout.txt"); got != tests+"\n" {
			t.Errorf("the tests ran as %q, want %q", got, tests)
		}
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	const scripts = "-- solution/solve.sh --\n" + whoami + "-- tests/test.sh --\n" + whoami + "echo '{\"reward\": 1}' >/logs/verifier/reward.json\n"
	const withUser = "-- environment/Dockerfile --\nFROM busybox\nRUN echo worker:x:1234:1234::/home/worker:/bin/sh >>/etc/passwd && mkdir -p /home/worker && chown 1234:1234 /home/worker\nWORKDIR /home/worker\n"
	behave(t, []behaviour{
		{name: "nobody says anything: root", task: scripts, want: outcome{score: 1}, check: user("0:0 /root /app", "0:0 /root /app")},
		{
			name: "the image's user runs agent and tests", task: scripts + withUser + "USER worker\n", want: outcome{score: 1},
			check: user("1234:1234 /home/worker /home/worker", "1234:1234 /home/worker /home/worker"),
		},
		{
			name: "a number that the image does not know runs both", task: scripts + "-- environment/Dockerfile --\nFROM busybox\nWORKDIR /tmp\nUSER 12345\n",
			want: outcome{score: 1}, check: user("12345:0 / /tmp", "12345:0 / /tmp"),
		},
		{
			name: "the task's users go before the image's", want: outcome{score: 1},
			task:  scripts + withUser + "USER worker\n-- task.toml --\n[agent]\nuser = \"nobody\"\n[verifier]\nuser = 0\n",
			check: user("65534:65534 /home /home/worker", "0:0 /root /home/worker"),
		},
		{
			name: "the compose file's user goes before the image's", want: outcome{score: 1},
			task:  scripts + withUser + "-- environment/docker-compose.yaml --\nservices: {main: {user: worker}}\n",
			check: user("1234:1234 /home/worker /home/worker", "1234:1234 /home/worker /home/worker"),
		},
		{
			name: "HOME that the image sets stays", want: outcome{score: 1}, task: scripts + withUser + "ENV HOME=/srv\nUSER worker\n",
			check: user("1234:1234 /srv /home/worker", "1234:1234 /srv /home/worker"),
		},
		{
			name: "a user that the image does not have is a fault", task: "-- task.toml --\n[agent]\nuser = \"ghost\"\n",
			want: outcome{code: "agent_error", phase: "agent", says: []string{"ghost"}},
		},
		{
			name: "an agent's user may write its logs and what it was given",
			task: withUser + "USER worker\n-- solution/solve.sh --\n#!/bin/sh\necho x >/logs/agent/x && echo y >/logs/artifacts/y && touch ok\n" +
				"-- tests/test.sh --\n#!/bin/sh\n[ -e /home/worker/ok ] && r=1 || r=0\necho \"{\\\"reward\\\": $r}\" >/logs/verifier/reward.json\n",
			want: outcome{score: 1},
		},
	})
}

func TestImages(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "an image's entrypoint runs before the agent",
			task: `
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
COPY start.sh /start.sh
ENTRYPOINT ["/start.sh"]
CMD ["server"]
-- environment/start.sh --
#!/bin/sh
echo "args: $*"
touch /app/started
exec "$@"
-- solution/solve.sh --
#!/bin/sh
for i in 1 2 3 4 5 6 7 8; do [ -e /app/started ] && touch /app/ok && break; usleep 250000; done
`,
			want: outcome{score: 1},
		},
		{
			name: "a compose file's own entrypoint and command hold the container",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    entrypoint: ["sh", "-c"]
    command: ["touch /app/started; exec sleep 1000"]
-- solution/solve.sh --
#!/bin/sh
for i in 1 2 3 4 5 6 7 8; do [ -e /app/started ] && touch /app/ok && break; usleep 250000; done
`,
			want: outcome{score: 1},
		},
		{
			name: "a prebuilt image gets the files of the environment folder",
			task: "-- task.toml --\n[environment]\ndocker_image = \"busybox\"\nworkdir = \"/app\"\n-- !environment/Dockerfile --\n-- environment/data/x.txt --\nhello\n" +
				"-- solution/solve.sh --\n#!/bin/sh\n[ \"$PWD\" = /app ] && grep -q hello /app/data/x.txt && touch /app/ok\n",
			want: outcome{score: 1},
		},
		{
			name: "an image that does not exist is a fault, not a score",
			task: "-- task.toml --\n[environment]\ndocker_image = \"localhost:1/no/such:image\"\n-- !environment/Dockerfile --\n-- environment/x --\n",
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"localhost:1/no/such:image"}},
		},
		{
			name: "a build step that fails is a fault with its last lines",
			task: "-- environment/Dockerfile --\nFROM busybox\nRUN echo compiler is missing; exit 4\n",
			want: outcome{code: "build_failed", phase: "setup", says: []string{"compiler is missing"}},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; e.Exit == nil || *e.Exit != 4 {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "a build that does not end is ended by its limit",
			task: "-- task.toml --\n[environment]\nbuild_timeout_sec = 3.0\n-- environment/Dockerfile --\nFROM busybox\nRUN sleep 7654.25\n",
			want: outcome{code: "setup_timeout", phase: "setup", says: []string{"task.toml [environment] build_timeout_sec"}},
			check: func(t *testing.T, _ *ran) {
				if p := processes(t, "sleep 7654.25"); len(p) > 0 {
					t.Errorf("the build goes on: %v", p)
				}
			},
		},
		{
			name: "the environment's health check is waited for",
			task: `
-- task.toml --
[environment.healthcheck]
command = "test -e /tmp/third || { mv /tmp/second /tmp/third; mv /tmp/first /tmp/second; touch /tmp/first; exit 1; }"
interval_sec = 0.2
retries = 9
-- solution/solve.sh --
#!/bin/sh
[ -e /tmp/third ] && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "an environment that is not healthy is a fault, also when its check hangs",
			task: `
-- task.toml --
[environment.healthcheck]
command = "echo still migrating; sleep 60"
interval_sec = 0.1
timeout_sec = 0.3
retries = 2
`,
			want: outcome{code: "setup_failed", phase: "setup", says: []string{"still migrating"}},
		},
	})
}

func TestVolumesOfAnImageAreNotLeftBehind(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, newTask(t, "task", `
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
VOLUME /data
-- solution/solve.sh --
#!/bin/sh
echo `+t.Name()+` >/data/mark && touch /app/ok
-- tests/test.sh --
#!/bin/sh
grep -q . /data/mark && [ -e /app/ok ] && r=1 || r=0
sed -n 's/.*\(volumes\/[0-9a-f]*\/_data\) \/data .*/\1/p' /proc/self/mountinfo
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`))
	expect(t, r, outcome{score: 1})
	name := volumeName(r.text(t, "verifier", "test-stdout.txt"))
	if name == "" {
		t.Fatalf("the tests did not say which volume it was: %q", r.text(t, "verifier", "test-stdout.txt"))
	}
	if _, err := shared.engine.VolumeInspect(t.Context(), name); err == nil {
		t.Errorf("the image's volume %s is still there", name)
	}
}

func TestAnEntrypointThatFailsIsTold(t *testing.T) {
	t.Parallel()
	c := seatrialRun(t, newTask(t, "task", `
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
ENTRYPOINT ["sh", "-c", "echo license is missing; exit 9"]
-- solution/solve.sh --
#!/bin/sh
sleep 20
`)).only(t)
	// It is told as the start's fault or as the loss of the container, whichever is seen first.
	if c.Error == nil || c.Error.Code != "setup_failed" && c.Error.Code != "sandbox_lost" || c.Error.Exit == nil || *c.Error.Exit != 9 || !slices.Contains(c.Error.Lines, "license is missing") {
		t.Errorf("score %v, fault %+v", c.Score, c.Error)
	}
}
