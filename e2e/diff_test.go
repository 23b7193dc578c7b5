package e2e_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator/difftrial"
)

func TestTrialsAreShownSideBySide(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "")
	good := seatrialRun(t, dir)
	again := seatrialRun(t, dir)
	code, out, errs := seatrial(t, nil, "diff", good.trialDir(t), again.trialDir(t))
	if code != 0 || errs != "" || !strings.Contains(out, "outcome and rewards are the same") || strings.Contains(out, "\n! ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}

	other := seatrialRun(t, dir, "--agent-cmd", "echo hello; sleep 600 & exit 3")
	code, out, errs = seatrial(t, nil, "diff", "--json", good.trialDir(t), other.trialDir(t))
	var d difftrial.Diff
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("exit code %d, error %v\n%s%s", code, err, out, errs)
	}
	differs := map[string]bool{}
	for _, s := range d.Sections {
		for _, r := range s.Rows {
			if r.Differs {
				differs[s.Name+" "+r.Name] = true
			}
		}
	}
	for _, want := range []string{"trial agent", "exits agent.exit", "processes agent.leftover_count"} {
		if !differs[want] {
			t.Errorf("%q does not differ:\n%s", want, out)
		}
	}
	if d.Equal != (code == 0) || len(d.Logs.Logs) == 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, l := range d.Logs.Logs {
		if l.Problem != "" {
			t.Errorf("%+v", l)
		}
	}
	if err := os.Remove(other.trialDir(t) + "/trial.json"); err != nil {
		t.Fatal(err)
	}
	if code, _, errs = seatrial(t, nil, "diff", good.trialDir(t), other.trialDir(t)); code != 2 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
