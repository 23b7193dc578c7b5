package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"
)

// Writer writes the evidence of one world. Its methods may be called by several goroutines, except that nothing is to
// be written to its streams once Finish has been called.
type Writer struct {
	root    *os.Root
	streams map[string]*stream

	mu       sync.Mutex
	hashes   map[string]string
	steps    []string
	finished bool
}

// Create makes the folder, if need be, and the streams in it. It returns an *ExistsError when the folder holds evidence.
func Create(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the evidence: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the evidence: %w", err)
	}
	w := &Writer{root: root, streams: map[string]*stream{}, hashes: map[string]string{}}
	for _, name := range append(streams(), ManifestFile, InitialFile, FinalFile, DoneFile) {
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			_ = root.Close()
			return nil, &ExistsError{Dir: dir, File: name}
		}
	}
	for _, name := range streams() {
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			w.close()
			return nil, fmt.Errorf("writing the evidence: %w", err)
		}
		w.streams[name] = &stream{file: f, hash: sha256.New()}
	}
	return w, nil
}

func streams() []string { return []string{CallsFile, OutboundFile, ViolationsFile, RefusedFile} }

// Calls gives the stream of calls.
func (w *Writer) Calls() io.Writer { return w.streams[CallsFile] }

// Outbound gives the stream of effects that leave the system.
func (w *Writer) Outbound() io.Writer { return w.streams[OutboundFile] }

// Violations gives the stream of violations.
func (w *Writer) Violations() io.Writer { return w.streams[ViolationsFile] }

// Refused gets the calls after the end.
func (w *Writer) Refused() io.Writer { return w.streams[RefusedFile] }

// Begin writes the manifest and the first state.
func (w *Writer) Begin(m Manifest, initial State) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.file(ManifestFile, m), w.file(InitialFile, initial))
}

// Step writes the state at the end of a step. The error is a *StepNameError when the name is none, or was there before.
func (w *Writer) Step(name string, s State) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`).MatchString(name) || slices.Contains(w.steps, name) {
		return &StepNameError{Name: name}
	}
	if err := w.file(stepFile(name), s); err != nil {
		return err
	}
	w.steps = append(w.steps, name)
	return nil
}

func stepFile(name string) string { return "step-" + name + ".json" }

// Finish writes the last state and, when everything before was written whole, done.json. It does so once.
func (w *Writer) Finish(final State) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.finished {
		return nil
	}
	w.finished = true
	defer w.close()
	done := Done{Version: Version, Steps: append([]string{}, w.steps...)}
	for _, name := range streams() {
		s := w.streams[name]
		lines, sum, err := s.finish()
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		w.hashes[name] = sum
		switch name {
		case CallsFile:
			done.Calls = lines
		case OutboundFile:
			done.Outbound = lines
		case ViolationsFile:
			done.Violations = lines
		case RefusedFile:
			done.Refused = lines
		}
	}
	if err := w.file(FinalFile, final); err != nil {
		return err
	}
	done.Files = w.hashes
	return w.file(DoneFile, done)
}

// file writes v under a name of its own and renames it, so that no reader sees half of it.
func (w *Writer) file(name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	data := b.Bytes()
	err := w.root.WriteFile(name+".part", data, 0o644)
	if err == nil {
		err = w.root.Rename(name+".part", name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if name != DoneFile {
		sum := sha256.Sum256(data)
		w.hashes[name] = hex.EncodeToString(sum[:])
	}
	return nil
}

func (w *Writer) close() {
	for _, s := range w.streams {
		_ = s.file.Close()
	}
	_ = w.root.Close()
}

// stream is a file of lines that knows its hash.
type stream struct {
	mu    sync.Mutex
	file  *os.File
	hash  hash.Hash
	lines int64
	err   error
}

// Write appends one line. After an error it writes nothing more, since what follows a gap is no evidence.
func (s *stream) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.file.Write(line)
	if err != nil {
		s.err = fmt.Errorf("writing the evidence: %w", err)
		return n, s.err
	}
	_, _ = s.hash.Write(line)
	s.lines++
	return n, nil
}

func (s *stream) finish() (int64, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.err
	s.err = fs.ErrClosed
	return s.lines, hex.EncodeToString(s.hash.Sum(nil)), err
}
