package orchestrator_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seatrial/seatrial/orchestrator"
)

func TestCollectHooksRunBetweenAgentAndTests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	copyTask(t, "plain", dir, "[verifier]", `[[verifier.collect]]
command = "gather"

[verifier]`)
	synctest.Test(t, func(t *testing.T) {
		jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
		if err != nil || jobs[0].Err != nil {
			t.Fatal(err, jobs[0].Err)
		}
		p := jobs[0].Plan
		h := newHouse(t, scene{agent: acts(), tests: acts(reward(`{"reward": 1}`))})
		rec := h.play(t.Context(), t, p)
		check(t, h, rec, ending{score: 1, phases: "build start agent collect verifier collect rewards teardown"})
	})
}

func TestACollectHookNeedsItsService(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "t")
	copyTask(t, "plain", dir, "[verifier]", `[[verifier.collect]]
command = "gather"
service = "db"

[verifier]`)
	jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
	if err != nil {
		t.Fatal(err)
	}
	if jobs[0].Err == nil || !strings.Contains(jobs[0].Err.Error(), `no service "db"`) {
		t.Errorf("error %v", jobs[0].Err)
	}
}
