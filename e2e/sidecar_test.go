package e2e_test

import (
	"slices"
	"strings"
	"testing"
)

func TestSidecarsThatFail(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "a sidecar that dies ends the trial at once, with its code and its last lines",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["sh", "-c", "echo no password is set >&2; sleep 2; exit 1"]
-- solution/solve.sh --
#!/bin/sh
sleep 25
`,
			want: outcome{code: "sidecar_failed", phase: "agent", says: []string{"db", "no password is set"}},
			check: func(t *testing.T, r *ran) {
				c := r.only(t)
				if c.Error.Service != "db" || c.Error.Exit == nil || *c.Error.Exit != 1 || !slices.Contains(c.Error.Lines, "no password is set") {
					t.Errorf("fault %+v", c.Error)
				}
				if *c.Timing.Agent > 6 {
					t.Errorf("the agent was let run for %.1f s", *c.Timing.Agent)
				}
			},
		},
		{
			name: "a sidecar that never becomes healthy is told with what its check said",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["sleep", "100"]
    healthcheck: {test: "echo schema is missing; exit 1", interval: 300ms, retries: 3}
`,
			want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"db", "schema is missing"}},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; e.Service != "db" || e.Step != "start" {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "a sidecar that is not ready in time is told with the limit",
			task: `
-- task.toml --
[environment]
build_timeout_sec = 6.0
-- environment/docker-compose.yaml --
services:
  main:
    depends_on: {db: {condition: service_healthy}}
  db:
    image: busybox
    command: ["sleep", "100"]
    healthcheck: {test: "exit 1", interval: 500ms, start_period: 100s}
`,
			want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"db"}},
			check: func(t *testing.T, r *ran) {
				if e := r.only(t).Error; e.Limit == nil || *e.Limit < 5.5 || *e.Limit > 7 {
					t.Errorf("fault %+v", e)
				}
			},
		},
		{
			name: "a sidecar whose program does not exist is a start fault",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["no-such-server"]
`,
			want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"db", "no-such-server"}},
		},
		{
			name: "a seed that fails is named, with its code and its last lines",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    depends_on: {seed: {condition: service_completed_successfully}}
  seed:
    image: busybox
    command: ["sh", "-c", "echo table users exists; exit 3"]
`,
			want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"seed", "code 3", "table users exists"}},
		},
		{
			name: "a sidecar that turns unhealthy while the agent works ends the trial",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["sh", "-c", "nc -l -p 99; touch /tmp/corrupt; sleep 100"]
    healthcheck: {test: "if [ -e /tmp/corrupt ]; then echo table is corrupt; exit 1; fi", interval: 300ms, retries: 1}
-- solution/solve.sh --
#!/bin/sh
nc db 99 </dev/null
sleep 25
`,
			want: outcome{code: "sidecar_failed", phase: "agent", says: []string{"db", "table is corrupt"}},
		},
		{
			name: "a sidecar that is stopped during the tests makes the verdict void",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  db:
    image: busybox
    command: ["sh", "-c", "nc -l -p 99; exit 7"]
-- tests/test.sh --
#!/bin/sh
nc db 99 </dev/null
sleep 5
echo '{"reward": 1}' >/logs/verifier/reward.json
`,
			want: outcome{code: "sidecar_failed", phase: "verifier"},
		},
	})
}

func TestSidecarsThatWork(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "one-shot services that exit with 0 are done, not failed",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    depends_on: {seed: {condition: service_completed_successfully}}
    volumes: ["shared:/shared"]
  seed:
    image: busybox
    command: ["sh", "-c", "echo seeded >/shared/data"]
    volumes: ["shared:/shared"]
  migrate:
    image: busybox
    command: ["true"]
volumes: {shared: {}}
-- solution/solve.sh --
#!/bin/sh
sleep 1
grep -q seeded /shared/data && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "values with dollars, quotes and line breaks arrive byte for byte in main and in a sidecar",
			task: `
-- task.toml --
[environment.env]
A = 'a$b'
B = 'a$$b'
C = 'a$HOME'
D = '${X:-y}z'
E = 'end$'
F = '''it's "quoted" #hash = x'''
G = "two\nlines "
-- environment/docker-compose.yaml --
services:
  main: {}
  web:
    image: busybox
    command: ["sh", "-c", "mkdir /www; for v in A B C D E F G; do eval \"printf '%s\\\\n' \\\"\\$$$$v\\\"\" >/www/$$v; done; exec httpd -f -p 80 -h /www"]
    environment:
      A: ${A}
      B: ${B}
      C:
      D: ${D}
      E: ${E}
      F: ${F}
      G:
    healthcheck: {test: "wget -q -O /dev/null http://127.0.0.1/G", interval: 300ms}
-- solution/solve.sh --
#!/bin/sh
for v in A B C D E F G; do
	eval "printf '%s\n' \"\$$v\"" >/logs/artifacts/main-$v
	wget -q -O /logs/artifacts/web-$v http://web/$v
done
`,
			want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				want := map[string]string{"A": `a$b`, "B": `a$$b`, "C": `a$HOME`, "D": `${X:-y}z`, "E": `end$`, "F": `it's "quoted" #hash = x`, "G": "two\nlines "}
				for name, value := range want {
					for _, who := range []string{"main", "web"} {
						if got := r.text(t, "artifacts", who+"-"+name); got != value+"\n" {
							t.Errorf("%s in %s is %q, want %q", name, who, got, value)
						}
					}
				}
			},
		},
		{
			name: "main in a sidecar's network reaches it at its own address",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    network_mode: "service:web"
  web:
    image: busybox
    command: ["sh", "-c", "mkdir /www; echo hello >/www/x; exec httpd -f -p 80 -h /www"]
    healthcheck: {test: "wget -q -O /dev/null http://127.0.0.1/x", interval: 300ms}
-- solution/solve.sh --
#!/bin/sh
wget -q -O - http://127.0.0.1/x | grep -q hello && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "tmpfs, ulimits, hostname, extra hosts and shared memory are as the compose file says",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    tmpfs: ["/scratch:size=1m"]
    ulimits: {nofile: {soft: 123, hard: 456}}
    hostname: thebox
    extra_hosts: ["elsewhere:192.0.2.7"]
    shm_size: 8m
    sysctls: {net.ipv4.ip_local_port_range: "20000 20100"}
-- solution/solve.sh --
#!/bin/sh
set -ex
grep -q ' /scratch tmpfs .*size=1024k' /proc/mounts
grep -q ' /dev/shm tmpfs .*size=8192k' /proc/mounts
[ "$(ulimit -n)" = 123 ]
[ "$(hostname)" = thebox ]
grep -q '192.0.2.7.*elsewhere' /etc/hosts
grep -q '20000.*20100' /proc/sys/net/ipv4/ip_local_port_range
touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "an agent without capabilities works as another user",
			task: `
-- task.toml --
[agent]
user = "nobody"
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
RUN chmod 777 /app
-- environment/docker-compose.yaml --
services:
  main:
    cap_drop: [ALL]
-- solution/solve.sh --
#!/bin/sh
grep -q '^CapEff:.0000000000000000' /proc/self/status && [ "$(id -u)" = 65534 ] && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "root without capabilities works",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
`,
			want: outcome{score: 1},
		},
		{
			name: "a container that is read-only but for /app and /tmp can be worked in and graded",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    read_only: true
    tmpfs: ["/tmp", "/app"]
`,
			want: outcome{score: 1},
		},
		{
			name: "a complete compose file of an older task works",
			task: `
-- task.toml --
version = "1.0"
[agent]
timeout_sec = 30.0
[verifier]
timeout_sec = 30.0
[environment]
cpus = 1
memory = "256M"
-- environment/docker-compose.yaml --
services:
  main:
    build:
      context: ${CONTEXT_DIR}
    image: ${MAIN_IMAGE_NAME}
    command: ["sh", "-c", "sleep infinity"]
    environment:
      - TEST_DIR=${TEST_DIR}
    volumes:
      - ${HOST_VERIFIER_LOGS_PATH}:${ENV_VERIFIER_LOGS_PATH}
      - ${HOST_AGENT_LOGS_PATH}:${ENV_AGENT_LOGS_PATH}
    network_mode: ${NETWORK_MODE:-bridge}
    deploy:
      resources:
        limits:
          cpus: ${CPUS}
          memory: ${MEMORY}
-- solution/solve.sh --
#!/bin/sh
[ "$TEST_DIR" = /tests ] && [ "$(cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes)" = 268435456 ] && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "a health check of main's own is waited for, and is the agent's to break later",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    entrypoint: ["sh", "-c", "sleep 1; touch /tmp/ready; exec sleep 1000"]
    healthcheck: {test: "test -e /tmp/ready", interval: 300ms, retries: 20}
-- solution/solve.sh --
#!/bin/sh
[ -e /tmp/ready ] || exit 1
rm /tmp/ready
sleep 2
touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "a sidecar that prints without end does no harm",
			task: `
-- environment/docker-compose.yaml --
services:
  main: {}
  noise:
    image: busybox
    command: ["sh", "-c", "yes $(seq 200 | tr '\\n' ' ')"]
-- solution/solve.sh --
#!/bin/sh
sleep 3
touch /app/ok
`,
			want: outcome{score: 1},
		},
	})
}

func TestOneBadStackDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeTask(t, dir+"/one", "")
	makeTask(t, dir+"/two", `
-- environment/docker-compose.yaml --
services:
  main: {}
  db: {image: busybox, command: ["sleep", "100"], healthcheck: {test: "exit 1", interval: 200ms, retries: 2}}
`)
	makeTask(t, dir+"/three", "")
	makeTask(t, dir+"/four", "-- task.toml --\n[agent]\ntimeout_secs = 3\n")
	r := seatrialRun(t, dir)
	got := map[string]string{}
	for _, c := range r.record.Cases {
		got[c.ID] = c.Status
		if c.Error != nil {
			got[c.ID] = c.Error.Code
		}
	}
	want := "map[four:setup_failed one:complete three:complete two:sidecar_failed]"
	if s := sprint(got); s != want || r.code != 3 {
		t.Errorf("exit code %d, cases %s, want %s\n%s", r.code, s, want, r.stderr)
	}
	if m := r.record.Summary; m.MeanScore == nil || *m.MeanScore != 1 || m.Scored != 2 || m.Incomplete != 2 {
		t.Errorf("summary %+v", m)
	}
	if !strings.Contains(r.stderr+r.stdout, "2 scored") || !strings.Contains(r.stderr+r.stdout, "2 incomplete") {
		t.Errorf("the console does not count: %s%s", r.stderr, r.stdout)
	}
}
