package chaos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/faultproxy"
)

// TestABatchWaitsForAnEngineThatIsGoneForAWhile lets the engine be gone before the first trial begins. Nothing is started meanwhile, and then all of it.
func TestABatchWaitsForAnEngineThatIsGoneForAWhile(t *testing.T) {
	need(t)
	t.Parallel()
	defer slot()()
	for _, c := range []struct {
		name, wait string
		times      int // that it does not answer; 0 = for good
		code       int
		says       string
	}{
		{"it comes back", "1m", 12, 0, "going on"},
		{"it does not", "3s", 0, 4, "--engine-wait 3s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := proxy(t, faultproxy.Rule{Kind: faultproxy.Ping, Nth: 2, Times: c.times, Fault: faultproxy.Fault{What: faultproxy.Answered, Status: 503}})
			j := begin(t, []string{"DOCKER_HOST=" + p.Address(), "SEATRIAL_CALL_LIMIT=" + callLimit.String()}, anew(t, "slow"), "--engine-wait", c.wait)
			j.end(t, 90*time.Second)
			if p.Struck() == 0 {
				t.Fatal("the engine was there all the time")
			}
			r := j.record(t)
			if r == nil || j.code() != c.code || !strings.Contains(j.log.String(), c.says) {
				t.Fatalf("exit code %d\n%s", j.code(), j.log.String())
			}
			if scored := len(r.Cases) == 1 && r.Cases[0].Score != nil; scored != (c.code == 0) {
				t.Errorf("cases %+v\n%s", r.Cases, j.log.String())
			}
			if c.code == 0 && !strings.Contains(j.log.String(), "nothing is started for now") {
				t.Errorf("nobody was told\n%s", j.log.String())
			}
			gone(t, j.id, swept)
		})
	}
}
