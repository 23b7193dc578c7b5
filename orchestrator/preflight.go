package orchestrator

import (
	"context"

	"github.com/seatrial/seatrial/sidecar"
)

// Preflight sees that a run can begin, before anything is started. It waits ten seconds for the engine. Errors are *sidecar.UnusableError and
// *sidecar.SpaceError.
func Preflight(ctx context.Context, conn *sidecar.Engine, room sidecar.Room) (sidecar.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, engineAnswer)
	defer cancel()
	return conn.Preflight(ctx, room)
}
