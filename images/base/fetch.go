package base

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxRelease = 8 << 20 // bytes of a release file
	tries      = 3       // of one download
	keepFor    = 60 * 24 * time.Hour
)

// FetchError says that a file of the archive could not be had.
type FetchError struct {
	URL    string
	Status int // of HTTP, 0 where none came
	Cause  error
}

// Error implements error.
func (e *FetchError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("getting %s: the mirror answered %d; check --mirror", e.URL, e.Status)
	}
	return fmt.Sprintf("getting %s: %v", e.URL, e.Cause)
}

// Unwrap returns the transport's error.
func (e *FetchError) Unwrap() error { return e.Cause }

// shop gets files over HTTP and keeps those whose digest is known before in a
// folder, named by digest.
type shop struct {
	http *http.Client
	dir  string
}

// text gets a small file whose digest nobody knows yet.
func (s *shop) text(ctx context.Context, url string, limit int64) ([]byte, error) {
	body, err := s.open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, &FetchError{URL: url, Cause: err}
	}
	if int64(len(data)) > limit {
		return nil, &FetchError{URL: url, Cause: fmt.Errorf("more than %d bytes", limit)}
	}
	return data, nil
}

// file gets a file of known size and digest and returns its path in the cache.
// A damaged copy in the cache is fetched anew.
func (s *shop) file(ctx context.Context, url string, want Checksums) (string, error) {
	path := filepath.Join(s.dir, want.SHA256)
	if f, err := os.Open(path); err == nil {
		same := sameDigest(f, want)
		_ = f.Close()
		if same {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // for prune; it does no harm if it fails
			return path, nil
		}
	}
	var err error
	for range tries {
		var fault *FetchError
		if err = s.keep(ctx, url, path, want); err == nil || ctx.Err() != nil ||
			errors.As(err, &fault) && fault.Status >= 400 && fault.Status < 500 {
			break
		}
	}
	return path, err
}

func (s *shop) keep(ctx context.Context, url, path string, want Checksums) error {
	body, err := s.open(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	f, err := os.CreateTemp(s.dir, "part-*")
	if err != nil {
		return fmt.Errorf("keeping a download: %w", err)
	}
	defer os.Remove(f.Name()) // after the rename there is nothing under this name
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(body, want.Size+1))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return &FetchError{URL: url, Cause: err}
	}
	if n != want.Size || hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		return &FetchError{URL: url, Cause: errors.New("its size or SHA256 is not what the release file promises; the mirror may be in the middle of an update: try again")}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("keeping a download: %w", err)
	}
	return nil
}

func (s *shop) open(ctx context.Context, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, &FetchError{URL: url, Cause: err}
	}
	req.Header.Set("User-Agent", "seatrial")
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, &FetchError{URL: url, Cause: err}
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, &FetchError{URL: url, Status: resp.StatusCode, Cause: errors.New(resp.Status)}
	}
	return resp.Body, nil
}

// prune removes what nobody used for keepFor. What cannot be removed stays.
func (s *shop) prune() {
	files, _ := os.ReadDir(s.dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keepFor {
			_ = os.Remove(filepath.Join(s.dir, f.Name()))
		}
	}
}

func sameDigest(r io.Reader, want Checksums) bool {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, want.Size+1))
	return err == nil && n == want.Size && hex.EncodeToString(h.Sum(nil)) == want.SHA256
}

func join(root, path string) string { return strings.TrimRight(root, "/") + "/" + path }
