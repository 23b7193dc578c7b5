package orchestrator

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"github.com/seatrial/seatrial/sidecar/mask"
)

// TrialDir is a trial's folder on the host. What is written to it belongs to the caller and is masked.
type TrialDir struct {
	path    string
	root    *os.Root
	log     io.Closer
	streams []string
}

// Root confines writing to the folder.
func (d *TrialDir) Root() *os.Root { return d.root }

// Protect keeps a file of the folder from being replaced by what comes out of the agent's container.
func (d *TrialDir) Protect(name string) { d.streams = append(d.streams, name) }

// Path is a path below the folder, for reading.
func (d *TrialDir) Path(elem ...string) string {
	return filepath.Join(append([]string{d.path}, elem...)...)
}

// Streams are the files that a command's output goes to; what comes out of the container never replaces them.
func (d *TrialDir) Streams() []string { return d.streams }

// WriteRecord writes trial.json at its final place.
func (d *TrialDir) WriteRecord(r *TrialRecord) error {
	data, err := Encode(r)
	if err != nil {
		return err
	}
	return writeAtomic(filepath.Join(d.path, "trial.json"), data)
}

// Write makes a file of the folder, or replaces it.
func (d *TrialDir) Write(name string, data []byte) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trial folder: %w", err)
	}
	if err := d.root.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("trial folder: %w", err)
	}
	return nil
}

// Logger writes to trial.log.
func (d *TrialDir) Logger(m *mask.Masker) *slog.Logger {
	f, err := d.root.OpenFile("trial.log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return slog.New(slog.DiscardHandler) // the log is a convenience
	}
	d.log = f
	return slog.New(slog.NewTextHandler(lineMask{w: f, m: m}, nil))
}

// lineMask masks whole lines, as a log handler writes them.
type lineMask struct {
	w io.Writer
	m *mask.Masker
}

func (l lineMask) Write(p []byte) (int, error) {
	if _, err := io.WriteString(l.w, l.m.String(string(p))); err != nil {
		return 0, fmt.Errorf("write the log: %w", err)
	}
	return len(p), nil
}

// Make makes a folder and those above it.
func (d *TrialDir) Make(name string) error {
	if err := d.root.MkdirAll(name, 0o755); err != nil {
		return fmt.Errorf("trial folder: %w", err)
	}
	return nil
}

// MakeStep makes a step's folders.
func (d *TrialDir) MakeStep(name string) error {
	for _, sub := range logFolders() {
		if err := d.Make(path.Join(name, sub)); err != nil {
			return err
		}
	}
	return nil
}

// logFolders are those that the log folders of a container come to.
func logFolders() []string { return []string{"agent", "verifier", "artifacts"} }

// Stream opens a file for a command's output.
func (d *TrialDir) Stream(full string, m *mask.Masker) (*StreamFile, error) {
	f, err := d.root.OpenFile(full, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("output file: %w", err)
	}
	d.streams = append(d.streams, full)
	s := &StreamFile{file: f}
	s.masked = m.Writer(&errWriter{s: s})
	return s, nil
}

// Lazy is a file that is made when something is written to it.
func (d *TrialDir) Lazy(name string, m *mask.Masker) io.WriteCloser {
	return &lazyFile{dir: d, name: name, m: m}
}

// Tail returns the end of output files, one after the other.
func (d *TrialDir) Tail(names ...string) []byte {
	const most = 64 << 10
	var out []byte
	for _, name := range names {
		f, err := d.root.Open(name)
		if err != nil {
			continue
		}
		if st, err := f.Stat(); err == nil && st.Size() > most {
			_, _ = f.Seek(-most, io.SeekEnd)
		}
		part, _ := io.ReadAll(io.LimitReader(f, most)) // what can be read is what there is to show
		_ = f.Close()
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, part...)
	}
	return out
}

// Close closes the folder.
func (d *TrialDir) Close() {
	if d.log != nil {
		_ = d.log.Close()
	}
	_ = d.root.Close()
}
