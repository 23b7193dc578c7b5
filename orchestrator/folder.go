package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

// Folder is a run's folder on the host. It is safe for concurrent use.
type Folder struct {
	Path  string
	RunID string

	copies copies // of tasks and agents
	mu     sync.Mutex
	events *os.File
}

// NewRunID makes an id that sorts by time and that no other process can have: the time to the second, and eight random digits.
func NewRunID(now time.Time) string {
	return now.UTC().Format("20060102T150405Z") + "-" + sidecar.RandomID(8)
}

// CreateFolder makes the folder of a run. One that is there already is an error: two runs never share a folder.
func CreateFolder(runsDir, runID string) (*Folder, error) {
	if runID != sidecar.Slug(runID, 128) && runID != lowerSafe(runID) {
		return nil, fmt.Errorf("run id %q: use letters, digits, dot, dash and underscore, beginning with a letter or digit", runID)
	}
	abs, err := filepath.Abs(runsDir)
	if err != nil {
		return nil, fmt.Errorf("runs folder %s: %w", runsDir, err)
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, fmt.Errorf("runs folder: %w", err)
	}
	dir := filepath.Join(abs, runID)
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("run %s is there already in %s; choose another --run-id", runID, abs)
		}
		return nil, fmt.Errorf("run folder: %w", err)
	}
	f := &Folder{Path: dir, RunID: runID, copies: copies{run: dir}}
	if err := os.Mkdir(filepath.Join(dir, "trials"), 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	f.events, err = os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	return f, nil
}

// lowerSafe returns id if it consists of safe characters only, capitals included.
func lowerSafe(id string) string {
	for i, r := range id {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || i > 0 && (r == '.' || r == '-' || r == '_')
		if !ok || i > 127 {
			return ""
		}
	}
	return id
}

// Append adds an event to events.jsonl. The file is a convenience: a full disk must not end a trial, so errors are dropped.
func (f *Folder) Append(e Event) {
	line := e.Line()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.events != nil {
		_, _ = f.events.Write(line)
	}
}

// WriteRun replaces run.json.
func (f *Folder) WriteRun(r *RunRecord) error {
	return writeAtomicBy(filepath.Join(f.Path, "run.json"), r.EncodeTo)
}

// Trial makes the folder of one trial. Its log folders are made here too, unless each of its steps has its own.
func (f *Folder) Trial(name string, steps bool) (*TrialDir, error) {
	dir := filepath.Join(f.Path, "trials", name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("trial folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("trial folder: %w", err)
	}
	d := &TrialDir{path: dir, root: root}
	if !steps {
		if err := d.MakeStep(""); err != nil {
			d.Close()
			return nil, err
		}
	}
	return d, nil
}

// Close ends the writing of events.
func (f *Folder) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.events.Close()
	f.events = nil
}
