package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// TestManyTrialsAtATime sees that 64 trials take one line on a terminal, and in plain form one for each half minute.
func TestManyTrialsAtATime(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, live := range []bool{true, false} {
		var out bytes.Buffer
		c := report.NewConsole(&out, live, 100)
		c.Tell(orchestrator.Event{Kind: orchestrator.OnRunStarted, Planned: 200, Time: began})
		for i := range 66 {
			e := orchestrator.Event{Kind: orchestrator.OnTrialStarted, Trial: fmt.Sprintf("t%d", i), CaseID: fmt.Sprintf("case-%d", i), Time: began.Add(time.Duration(i) * time.Second)}
			c.Tell(e)
			e.Kind, e.Phase = orchestrator.OnPhaseStarted, orchestrator.PhaseAgent
			c.Tell(e)
		}
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "t1", Case: complete("case-1", 1), Time: began.Add(70 * time.Second)})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "t2", Case: &orchestrator.Case{ID: "case-2", Status: "incomplete"}, Time: began.Add(70 * time.Second)})
		out.Reset()
		c.Tick(time.Now().Add(time.Minute)) // the heartbeat goes by the clock
		got := strings.TrimPrefix(strings.TrimSpace(out.String()), "\x1b[K")
		if !strings.HasPrefix(got, "… 64 under way, 2 of 200 done (1 incomplete): case-0 agent ") || strings.Contains(got, "\n") || live && len([]rune(got)) >= 100 {
			t.Errorf("live %v: %q", live, got)
		}
	}
}
