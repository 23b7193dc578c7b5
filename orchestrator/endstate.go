package orchestrator

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar/mask"
)

// An end state is a tar archive, compressed with zstd: a first entry that lists what was removed, each path with a NUL behind it, and then what has changed.
const (
	endStateName    = "end-state.tar.zst"
	endStateRemoved = "seatrial-removed"
	endStateMost    = 32 << 30 // bytes, unpacked
	removedMost     = 64 << 20 // bytes of the list
)

// endStateWriter writes an end state and counts what is in it.
type endStateWriter struct {
	facts lockfile.Capture
	sum   hash.Hash
	zip   *zstd.Encoder
	tar   *tar.Writer
	// plain and masked tell whether a secret is in it: they differ then.
	plain, masked hash.Hash64
	watch         io.WriteCloser
}

func newEndStateWriter(w io.Writer, removed []string, m *mask.Masker) (*endStateWriter, error) {
	e := &endStateWriter{sum: sha256.New()}
	var err error
	if e.zip, err = zstd.NewWriter(io.MultiWriter(w, e.sum), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2)); err != nil {
		return nil, fmt.Errorf("end state: %w", err)
	}
	var out io.Writer = e.zip
	if m.Any() {
		table := crc64.MakeTable(crc64.ECMA)
		e.plain, e.masked = crc64.New(table), crc64.New(table)
		e.watch = m.Writer(e.masked)
		out = io.MultiWriter(e.zip, e.plain, e.watch)
	}
	e.tar = tar.NewWriter(out)
	var list bytes.Buffer
	for _, p := range removed {
		list.WriteString(p + "\x00")
	}
	e.facts.Removed = int64(len(removed))
	if err := e.tar.WriteHeader(&tar.Header{Name: endStateRemoved, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(list.Len())}); err != nil {
		return nil, fmt.Errorf("end state: %w", err)
	}
	if _, err := e.tar.Write(list.Bytes()); err != nil {
		return nil, fmt.Errorf("end state: %w", err)
	}
	return e, nil
}

// add copies an archive into it.
func (e *endStateWriter) add(from io.Reader) error {
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, from) // what an archive may have behind its end
			return err                          //nolint:wrapcheck // wrapped by the caller
		}
		if err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		if e.facts.Bytes += h.Size; e.facts.Bytes > endStateMost {
			return fmt.Errorf("it holds more than %d GiB", endStateMost>>30)
		}
		if h.Typeflag != tar.TypeDir {
			e.facts.Files++
		}
		if err := e.tar.WriteHeader(h); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		if _, err := io.Copy(e.tar, r); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
	}
}

// close ends the archive and says what is in it.
func (e *endStateWriter) close() (lockfile.Capture, error) {
	errs := []error{e.tar.Close(), e.zip.Close()}
	if e.watch != nil {
		errs = append(errs, e.watch.Close())
		e.facts.Secrets = e.plain.Sum64() != e.masked.Sum64()
	}
	e.facts.SHA256 = hex.EncodeToString(e.sum.Sum(nil))
	return e.facts, errors.Join(errs...)
}

// abandon ends it without a result.
func (e *endStateWriter) abandon() {
	_ = e.zip.Close()
	if e.watch != nil {
		_ = e.watch.Close()
	}
}

// endState is a recorded end state that is read.
type endState struct {
	removed []string
	file    *os.File
	zip     *zstd.Decoder
	tar     *tar.Reader
}

// openEndState opens an end state, which a stranger may have made: it is put into containers only.
func openEndState(name string) (*endState, error) {
	fail := func(err error) (*endState, error) { return nil, fmt.Errorf("end state %s: %w", name, err) }
	f, err := os.Open(name)
	if err != nil {
		return fail(bare(err))
	}
	const window = 64 << 20
	zip, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		_ = f.Close()
		return fail(err)
	}
	s := &endState{file: f, zip: zip, tar: tar.NewReader(io.LimitReader(zip, endStateMost+removedMost))}
	h, err := s.tar.Next()
	if err == nil && (h.Name != endStateRemoved || h.Size > removedMost) {
		err = errors.New("it does not begin with the list of what was removed")
	}
	var list []byte
	if err == nil {
		list, err = io.ReadAll(s.tar)
	}
	if err != nil {
		s.close()
		return fail(err)
	}
	for p := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if strings.HasPrefix(p, "/") {
			s.removed = append(s.removed, p)
		}
	}
	return s, nil
}

// rest writes what has changed, as an archive.
func (s *endState) rest(w io.Writer) error {
	out := tar.NewWriter(w)
	for {
		h, err := s.tar.Next()
		if errors.Is(err, io.EOF) {
			return out.Close() //nolint:wrapcheck // wrapped by the caller
		}
		if err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		if err := out.WriteHeader(h); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		if _, err := io.Copy(out, s.tar); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
	}
}

func (s *endState) close() {
	s.zip.Close()
	_ = s.file.Close()
}
