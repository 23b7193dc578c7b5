package e2e_test

import (
	"strings"
	"testing"
)

func TestAgentsThatAreCutOff(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "an agent that ignores TERM is killed with all that it started",
			task: `
-- task.toml --
[agent]
timeout_sec = 2.0
-- solution/solve.sh --
#!/bin/sh
trap '' TERM
sh -c 'trap "" TERM; while :; do date >>/app/out; usleep 200000; done' &
setsid sh -c 'trap "" TERM; sh -c "while :; do :; done" & while :; do :; done' &
(sleep 7; touch /app/ok) &
while :; do sleep 1; done
-- tests/test.sh --
#!/bin/sh
before=$(cat /app/out)
sleep 4
for p in /proc/[0-9]*; do
	case "$(tr '\0' ' ' <$p/cmdline)" in
	*while*|*solve*) echo "alive: $(tr '\0' ' ' <$p/cmdline)"; touch /app/ok ;;
	esac
done
[ "$before" = "$(cat /app/out)" ] || touch /app/ok
if [ -e /app/ok ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`,
			want: outcome{score: 0, warns: []string{"agent_timed_out"}, says: []string{"limit of 2s (task.toml [agent] timeout_sec)"}},
			check: func(t *testing.T, r *ran) {
				a := r.trial(t).Agent
				if a.Limit != "kill" || a.Seconds < 2 || a.Seconds > 9 {
					t.Errorf("ended by %q after %.1f s, want a kill after 2 s and a grace", a.Limit, a.Seconds)
				}
				if v := r.trial(t).Verifier; v.Exit == nil || *v.Exit != 0 {
					t.Errorf("the tests: %+v", v)
				}
			},
		},
		{
			name: "a limit that a flag set is named as the flag's",
			task: `
-- solution/solve.sh --
#!/bin/sh
sleep 20
`,
			args: []string{"--agent-timeout", "1s"},
			want: outcome{score: 0, warns: []string{"agent_timed_out"}, says: []string{"limit of 1s (--agent-timeout)"}},
			check: func(t *testing.T, r *ran) {
				if a := r.trial(t).Agent; a.LimitSource != "--agent-timeout" || a.Seconds < 1 || a.Seconds > 3 || a.Limit != "term" {
					t.Errorf("agent %+v", a)
				}
				if strings.Contains(r.stderr, "30s") {
					t.Error("the console speaks of the task's limit, which did not fire")
				}
			},
		},
		{
			name: "an agent that was right before its limit keeps its score",
			task: `
-- task.toml --
[agent]
timeout_sec = 0.5
-- solution/solve.sh --
#!/bin/sh
touch /app/ok
sleep 60
`,
			want: outcome{score: 1, warns: []string{"agent_timed_out"}},
		},
		{
			name: "an agent cut off before a tests' fault is the reason of the missing reward",
			task: `
-- task.toml --
[agent]
timeout_sec = 0.5
-- solution/solve.sh --
#!/bin/sh
sleep 60
-- tests/test.sh --
#!/bin/sh
exit 4
`,
			want: outcome{code: "agent_timeout", phase: "agent"},
		},
		{
			name: "what an agent printed before its limit is kept, with a mark",
			task: `
-- solution/solve.sh --
#!/bin/sh
printf 'one\ntwo'
sleep 60
`,
			args: []string{"--agent-timeout", "700ms"},
			check: func(t *testing.T, r *ran) {
				if log := r.text(t, "agent", "stdout.log"); !strings.HasPrefix(log, "one\ntwo") || !strings.Contains(log, "seatrial: ended by") {
					t.Errorf("stdout %q", log)
				}
			},
			want: outcome{score: 0, warns: []string{"agent_timed_out"}},
		},
	})
}

func TestAgentsThatEndByThemselves(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "an agent's own exit code 137 is neither a limit nor a lack of memory",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nexit 137\n",
			want: outcome{score: 1, warns: []string{"agent_error"}},
			check: func(t *testing.T, r *ran) {
				a := r.trial(t).Agent
				if *a.Exit != 137 || a.Limit != "" || a.Signal != "" || a.OOMKills == nil || *a.OOMKills != 0 {
					t.Errorf("agent %+v", a)
				}
				if e := r.only(t).Result.AgentExit; e == nil || *e != 137 {
					t.Errorf("agent_exit %v", e)
				}
			},
		},
		{
			name: "an agent that exceeds the memory limit is told as such",
			task: `
-- task.toml --
[environment]
memory_mb = 32
-- solution/solve.sh --
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=100M count=1
`,
			want: outcome{score: 0, warns: []string{"agent_error"}, says: []string{"memory limit"}},
			check: func(t *testing.T, r *ran) {
				if a := r.trial(t).Agent; a.OOMKills == nil || *a.OOMKills < 1 || a.Limit != "" {
					t.Errorf("agent %+v", a)
				}
			},
		},
		{
			name: "a daemon that an agent leaves is there for the tests",
			task: `
-- solution/solve.sh --
#!/bin/sh
mkdir -p /app/www
echo hello >/app/www/index.html
httpd -f -p 8080 -h /app/www &
-- tests/test.sh --
#!/bin/sh
for i in 1 2 3 4 5; do
	wget -q -O - http://127.0.0.1:8080/index.html | grep -q hello && touch /app/ok && break
	usleep 200000
done
[ -e /app/ok ] && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`,
			want: outcome{score: 1},
		},
		{
			name: "an agent that does not exist is a fault and no score",
			args: []string{"--agent-cmd", "no-such-agent --fast"},
			want: outcome{code: "agent_error", phase: "agent", says: []string{"no-such-agent"}},
			check: func(t *testing.T, r *ran) {
				if tr := r.trial(t); tr.Verifier != nil || tr.Agent.StartError != "not_found" || tr.Agent.Exit != nil {
					t.Errorf("agent %+v, verifier %+v", tr.Agent, tr.Verifier)
				}
			},
		},
		{
			name: "a solution whose interpreter is missing is a fault and no score",
			task: "-- solution/solve.sh --\n#!/usr/bin/python3\nprint()\n",
			want: outcome{code: "agent_error", phase: "agent", says: []string{"/usr/bin/python3"}},
		},
		{
			name: "an agent that does nothing is graded",
			args: []string{"--agent", "nop"},
			want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				if r.trial(t).Agent != nil {
					t.Error("an agent is recorded although none ran")
				}
			},
		},
		{
			name: "an agent's command finds the instruction in a file and in a variable",
			task: `
-- instruction.md --
<!-- harbor-canary 1234 -->

Say "hi" to $USER & go.
`,
			args: []string{"--agent-cmd", `[ "$(cat $SEATRIAL_INSTRUCTION_FILE)" = 'Say "hi" to $USER & go.' ] && [ "$(printf %s "$SEATRIAL_INSTRUCTION")" = 'Say "hi" to $USER & go.' ] &&
				[ -d "$SEATRIAL_LOGS" ] && touch /app/ok; printf %s "$SEATRIAL_INSTRUCTION" >$SEATRIAL_LOGS/seen`},
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				if got := r.text(t, "agent", "seen"); strings.TrimSpace(got) != `Say "hi" to $USER & go.` {
					t.Errorf("the instruction was %q", got)
				}
			},
		},
	})
}

func TestAgentsThatBreakTheSandbox(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "the death of the agent's container ends the agent's phase",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nkill -TERM 1\nsleep 25\n",
			want: outcome{code: "sandbox_lost", phase: "agent", says: []string{"container"}},
			check: func(t *testing.T, r *ran) {
				if c := r.only(t); *c.Timing.Agent > 5 {
					t.Errorf("it took %.1f s to notice", *c.Timing.Agent)
				}
			},
		},
		{
			name: "an agent that kills every process, the helper included, is graded in a fresh container",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\n(while :; do sleep 1; done) &\nkill -9 -1\n",
			want: outcome{score: 1, warns: []string{"agent_error", "container_restarted"}},
			check: func(t *testing.T, r *ran) {
				if tr := r.trial(t); len(tr.Restarts) != 1 || tr.Agent.Exit != nil {
					t.Errorf("restarts %v, agent %+v", tr.Restarts, tr.Agent)
				}
			},
		},
		{
			name: "orphans are reaped, so that they do not fill the process table",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    pids_limit: 64
-- solution/solve.sh --
#!/bin/sh
for i in $(seq 300); do (true &); done
sleep 0.5
n=$(grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l)
echo "$n dead processes"
[ "$n" -eq 0 ] && touch /app/ok
`,
			want: outcome{score: 1},
		},
		{
			name: "an agent that forks up to the limit of processes is ended and graded",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    pids_limit: 64
-- solution/solve.sh --
#!/bin/sh
touch /app/ok
for i in $(seq 500); do sleep 600 & done
`,
			want: outcome{score: 1},
		},
		{
			name: "an agent that deletes all programs leaves nothing to grade with",
			task: "-- solution/solve.sh --\n#!/bin/sh\nexec rm -rf /bin\n",
			want: outcome{code: "verifier_error", phase: "verifier", says: []string{"/bin/sh"}},
		},
		{
			name: "an agent that fills a small disk is graded",
			task: `
-- environment/docker-compose.yaml --
services:
  main:
    tmpfs: ["/app:size=1m"]
-- solution/solve.sh --
#!/bin/sh
touch /app/ok
dd if=/dev/zero of=/app/full bs=1M count=5
`,
			want: outcome{score: 1, warns: []string{"agent_error"}},
		},
	})
}
