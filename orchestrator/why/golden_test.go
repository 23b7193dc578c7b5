package why_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/why"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]*why.Evidence{
		"full":        scored(1),
		"unexplained": scored(0.25),
		"overloaded": with(squeezed(cutOff(scored(0)), shim.Pressure{LoadBefore: ptr(9.5), LoadAfter: ptr(8.25), CPUWaitSec: ptr(571.3), CPUPeriods: ptr(int64(6000)), CPUThrottled: ptr(int64(4200)), ThrottledSec: ptr(388.0)}),
			func(e *why.Evidence) {
				e.BesideCount, e.Lock.Batch.BesideCount = 2, 2
				e.Beside = []why.Neighbour{{Folder: "b", Case: "b", Outcome: orchestrator.Outcome{Status: "complete", Score: ptr(1.0)}}, {Folder: "c", Case: "c", Outcome: orchestrator.Outcome{Status: "incomplete", Code: "agent_timeout"}}}
				e.Trial.Restarts = []string{"2 processes of the agent could not be ended"}
			}),
		"reward-missing": with(faulty(orchestrator.Fault{Code: "reward_missing", Phase: "verifier", Message: "case \"greet\": tests/test.sh ended with exit code 1 after 2 s without writing a reward; its last line was \"no such file\"",
			Exit: ptr(1), Lines: []string{"checking", "no such file"}}), func(e *why.Evidence) {
			e.Trial.Verifier.Exit = ptr(1)
			e.Refusals = []why.Refusal{{File: "egress.jsonl", Line: 4, Host: "pypi.org", Count: 12}}
		}),
		"memory": squeezed(with(scored(0), func(e *why.Evidence) {
			e.Trial.Agent.OOMKills, e.Trial.Agent.Exit, e.Trial.Agent.Signal = ptr(int64(1)), ptr(137), "SIGKILL"
		}), shim.Pressure{MemoryPeak: ptr(int64(1 << 30)), MemoryLimit: ptr(int64(1 << 30))}),
		"hostile": with(faulty(orchestrator.Fault{Code: "reward_missing", Message: "\x1b[2J\x1b]0;title\aevil\nsecond line \u202e" + strings.Repeat("x", 5000)}), func(e *why.Evidence) {
			e.Trial.Case.ID, e.Trial.RunID = "a\x1b[31m\nb", "\x00run"
			e.Trial.Leaks = []string{"\x1b[8mhidden"}
		}),
	} {
		kindsOf(t, why.Diagnose(e))
		var b strings.Builder
		if err := why.Of("greet", e).WriteText(&b); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && (r < ' ' || r == 0x7f || r == 0x202e) {
				t.Errorf("%s: a control character %q", name, r)
			}
		}
		golden.Compare(t, filepath.Join("testdata", "golden", name+".txt"), b.String())
	}
}
