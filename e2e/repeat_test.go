package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

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
