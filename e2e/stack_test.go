package e2e_test

import "testing"

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
