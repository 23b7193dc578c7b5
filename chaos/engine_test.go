package chaos_test

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/leftover"
)

// left lists what a run has on the engine.
func left(t *testing.T, id string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	out, err := leftover.Of(ctx, shared.engine, id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// gone sees that nothing of a run stays on the engine.
func gone(t *testing.T, id string, limit time.Duration) bool {
	t.Helper()
	var last []string
	ok := until(t, limit, "nothing of run "+id+" is left", func() bool {
		last = left(t, id)
		return len(last) == 0
	})
	if !ok {
		t.Logf("left: %v", last)
	}
	return ok
}

// sweep removes a run's objects as a person would.
func sweep(t *testing.T, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, shared.binary, "gc", "--run", id).CombinedOutput(); err != nil {
		t.Errorf("seatrial gc --run %s: %v\n%s", id, err, out)
	}
}
