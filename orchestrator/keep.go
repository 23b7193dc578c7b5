package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// DefaultKeepFor is how long stacks are kept when nothing else is said.
const DefaultKeepFor = 72 * time.Hour

func (t *trial) wantsKeep() bool {
	if t.work.box == nil || t.work.box.ID("main") == "" || t.rec.Case.Error != nil && t.rec.Case.Error.Code == CodeInterrupted {
		return false
	}
	return t.Keep == "always" || t.Keep == "failed" && (t.rec.Case.Status != Complete || t.rec.Case.Score != nil && *t.rec.Case.Score <= 0)
}

// keep marks the stack as kept, and says whether that worked.
func (t *trial) keep(ctx context.Context) bool {
	var until time.Time
	if t.KeepFor > 0 {
		until = time.Now().Add(t.KeepFor).UTC().Truncate(time.Second)
	}
	took, err := in(ctx, Limit{Phase: PhaseTeardown, Value: t.plan.Limits[PhaseTeardown].Value / 2, Source: "default"}, func(ctx context.Context) error {
		var errs []error
		for _, s := range t.sites() {
			errs = append(errs, s.box.Keep(ctx, until))
		}
		return errors.Join(errs...)
	})
	t.timing(PhaseTeardown, took)
	switch {
	case err != nil:
		t.warn("keep_failed", "the stack could not be kept, and was removed: "+err.Error())
	case !until.IsZero():
		t.rec.KeptUntil = &until
	}
	return err == nil
}

// keptHow says what can be done with a stack that is kept.
func (s *site) keptHow() string {
	until := ""
	if s.rec.KeptUntil != nil {
		until = " until " + s.rec.KeptUntil.Format(time.DateTime) + " UTC"
	}
	enter := "seatrial enter " + filepath.Join(s.Folder.Path, s.plan.Folder)
	if p := s.prefix(); p != "" {
		enter += " --service " + p + stack.Main
	}
	return fmt.Sprintf("kept %s%s; look inside with `%s`, remove it with `seatrial gc --trial %s`", s.name, until, enter, s.name)
}
