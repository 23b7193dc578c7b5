package difftrial

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
)

// maxRead is how many bytes of each trial's files are compared, in all. What lies beyond is said not to have been compared.
const maxRead = 16 << 30

// reader reads the folders of both trials.
type reader struct {
	old, new *os.Root
	left     int64 // bytes that may yet be read of each trial
}

// open opens the folders of two trials.
func open(was, now *orchestrator.TrialPlace) (*reader, error) {
	a, err := folder(was)
	if err != nil {
		return nil, err
	}
	b, err := folder(now)
	if err != nil {
		_ = a.Close()
		return nil, err
	}
	return &reader{old: a, new: b, left: maxRead}, nil
}

// folder opens a trial's folder, which must be below its run's.
func folder(p *orchestrator.TrialPlace) (*os.Root, error) {
	all, err := os.OpenRoot(filepath.Join(p.Run, "trials"))
	if err != nil {
		return nil, &orchestrator.UsageError{Cause: fmt.Errorf("the run's folder: %w", err)}
	}
	defer all.Close()
	r, err := all.OpenRoot(p.Name)
	if err != nil {
		return nil, &orchestrator.UsageError{Cause: fmt.Errorf("the trial's folder: %w", err)}
	}
	return r, nil
}

// Close closes both folders.
func (r *reader) Close() {
	_ = r.old.Close()
	_ = r.new.Close()
}

// pair opens a file of each folder.
func (r *reader) pair(was, now string) (*os.File, *os.File, error) {
	a, err := regular.Open(r.old, was)
	if err != nil {
		return nil, nil, fmt.Errorf("old: %w", err)
	}
	b, err := regular.Open(r.new, now)
	if err != nil {
		_ = a.Close()
		return nil, nil, fmt.Errorf("new: %w", err)
	}
	return a, b, nil
}

// part compares two open files from their beginning, as far as may still be read.
func (r *reader) part(ctx context.Context, was, now *os.File) (place, error) {
	at, err := part(ctx, io.NewSectionReader(was, 0, 1<<62), io.NewSectionReader(now, 0, 1<<62), r.left)
	r.left -= at.read
	return at, err
}

// unread says how far files are the same, of which not all was read.
func (p *place) unread() string {
	if p.offset == 0 {
		return "not read, since so much was read before it"
	}
	return fmt.Sprintf("the same in the first %d bytes; more was not read", p.offset)
}

func closeBoth(a, b *os.File) {
	_ = a.Close()
	_ = b.Close()
}
