package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAgentsThatWorkAgainstTheTool(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "an agent that stops the helper does not get more time",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nfor p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || kill -STOP $p; done\nsleep 100\n",
			args: []string{"--agent-timeout", "1s"},
			want: outcome{score: 1, warns: []string{"container_restarted"}},
			check: func(t *testing.T, r *ran) {
				if took := *r.only(t).Timing.Agent; took > 25 {
					t.Errorf("the agent had %.1f s", took)
				}
			},
		},
		{
			name: "more files than are kept do not lose the reward",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\ncd /logs/agent && for i in $(seq 21); do mkdir $i; (cd $i && touch $(seq 1000)); done\n",
			want: outcome{score: 1, warns: []string{"logs_incomplete"}},
			check: func(t *testing.T, r *ran) {
				if c := r.trial(t).Collected; c.Files > 20000 || len(c.Skipped) == 0 {
					t.Errorf("%d files are kept, left out: %v", c.Files, c.Skipped)
				}
			},
		},
		{
			name: "names that are no text, or too long for another system, are told and harm nothing",
			task: `
-- solution/solve.sh --
#!/bin/sh
touch /app/ok
cd /logs/agent
printf x >"$(printf 'bad\377name')"
printf x >"$(printf 'two\nlines')"
printf x >'back\slash:colon?'
printf x >"-rf"
printf x >..hidden
mkdir -p "$(printf 'a%.0s' $(seq 255))/deep" && printf x >"$(printf 'a%.0s' $(seq 255))/deep/x"
`,
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				if tr := r.trial(t); tr.Collected.Files < 3 {
					t.Errorf("collected %+v", tr.Collected)
				}
			},
		},
		{
			name: "folders in folders without end are cut off",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\ncd /logs/agent\ni=0\nwhile [ $i -lt 600 ]; do mkdir deeper && cd deeper || break; i=$((i+1)); done\nexit 0\n",
			want: outcome{score: 1},
		},
		{
			name: "an agent that takes all rights from the folders does not stop the tests",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nchmod 0 /logs /logs/* /app /tmp\n",
			want: outcome{score: 1},
		},
		{
			name: "an agent that writes over the helper's files cannot",
			task: "-- solution/solve.sh --\n#!/bin/sh\necho x >/.seatrial/shim && exit 1\nrm -rf /.seatrial/* && exit 1\nmv /.seatrial /else && exit 1\ntouch /app/ok\n",
			want: outcome{score: 1},
		},
		{
			name: "output that looks like the helper's own is only output",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nhead -c 200000 /dev/urandom\nprintf '\\001\\000\\000\\000\\000\\000\\000\\005hello\\003\\377\\377\\377\\377'\n",
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				st, err := os.Stat(filepath.Join(r.trialDir(t), "agent", "stdout.log"))
				if err != nil || st.Size() != 200018 {
					t.Errorf("%v: %d bytes are kept, want 200018", err, st.Size())
				}
			},
		},
		{
			name: "a daemon of another user than the tests' cannot plant a reward while they run",
			task: `
-- task.toml --
[agent]
user = "nobody"
[verifier]
user = 0
-- tests/test.sh --
#!/bin/sh
echo '{"reward": 0}' >/logs/verifier/reward.json
sleep 1
`,
			args: []string{"--agent-cmd", `(while :; do echo '{"reward": 1}' >/tmp/r && mv /tmp/r /logs/verifier/reward.json; done) 2>/dev/null & exit 0`},
			want: outcome{score: 0},
		},
		{
			name: "an agent that closes its output and goes on is waited for",
			task: "-- solution/solve.sh --\n#!/bin/sh\nexec >&- 2>&- <&-\nsleep 2\ntouch /app/ok\n",
			want: outcome{score: 1},
		},
		{
			name: "an agent that replaces the system's files for users is graded",
			task: "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\nrm -f /etc/passwd /etc/group /etc/hosts /etc/resolv.conf\nln -s /proc/self/environ /etc/passwd\n",
			want: outcome{score: 1},
		},
	})
}
