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
