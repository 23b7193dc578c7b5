package chaos_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/faultproxy"
)

// TestFaultsOfBuilds breaks the connections that a build has with the engine. What the machine did is never told as the Dockerfile's fault.
func TestFaultsOfBuilds(t *testing.T) {
	need(t)
	t.Parallel()
	for _, c := range []struct {
		name   string
		rule   faultproxy.Rule
		scores bool // another try is enough
	}{
		{"the first raw connection is refused", faultproxy.Rule{Times: 1, Fault: faultproxy.Fault{What: faultproxy.Answered, Status: 500}}, true},
		{"the first raw connection is dropped", faultproxy.Rule{Times: 1, Fault: faultproxy.Fault{What: faultproxy.DroppedAfter}}, true},
		{"the first raw connection breaks in the middle", faultproxy.Rule{Times: 1, Fault: faultproxy.Fault{What: faultproxy.Truncated, Bytes: 300}}, true},
		{"the second raw connection breaks in the middle", faultproxy.Rule{Nth: 2, Times: 1, Fault: faultproxy.Fault{What: faultproxy.Truncated, Bytes: 300}}, true},
		{"the first raw connection hangs", faultproxy.Rule{Times: 1, Fault: faultproxy.Fault{What: faultproxy.Hung}}, true},
		{"the second raw connection stalls", faultproxy.Rule{Nth: 2, Times: 1, Fault: faultproxy.Fault{What: faultproxy.Stalled, Bytes: 300}}, false},
		{"every raw connection is refused", faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.Answered, Status: 503}}, false},
		{"every raw connection breaks in the middle", faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.Truncated, Bytes: 300}}, false},
		{"every raw connection hangs", faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.Hung}}, false},
		{"every raw connection stalls", faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.Stalled, Bytes: 100}}, false},
		{"the engine dies", faultproxy.Rule{Nth: 2, Fault: faultproxy.Fault{What: faultproxy.Dead}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defer slot()()
			c.rule.Kind = faultproxy.Build
			p := proxy(t, c.rule)
			j := begin(t, []string{"DOCKER_HOST=" + p.Address(), "SEATRIAL_CALL_LIMIT=" + callLimit.String()}, anew(t, "slow"), "--build-timeout", "25s")
			j.end(t, 40*time.Second)
			t.Logf("%s, exit code %d, %d faults", j.took.Round(100*time.Millisecond), j.code(), p.Struck())
			r := j.record(t)
			if r == nil || len(r.Cases) != 1 {
				t.Fatalf("there is no record of the trial: %s", j.log.String())
			}
			if p.Struck() == 0 {
				t.Fatal("nothing was broken")
			}
			k := r.Cases[0]
			switch {
			case k.Score != nil && *k.Score == 1:
				t.Log("the trial comes to its score")
			case c.scores:
				t.Errorf("the trial does not come to its score: %s", j.log.String())
			case k.Error == nil || !slices.Contains([]string{"setup_failed", "setup_timeout"}, k.Error.Code):
				t.Errorf("the case is %+v: %s", k, j.log.String())
			default:
				t.Logf("%s: %s", k.Error.Code, k.Error.Message)
			}
			if len(r.Leaks) > 0 {
				t.Errorf("leaks %v of a stack that was never begun", r.Leaks)
			}
			gone(t, j.id, swept)
		})
	}
}
