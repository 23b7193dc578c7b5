package lock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/internal/lock"
)

func TestHold(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	release, err := lock.Hold(t.Context(), nil, "engine", "digest")
	if err != nil {
		t.Fatal(err)
	}

	other, err := lock.Hold(t.Context(), func() { t.Error("another digest waited") }, "engine", "other")
	if err != nil {
		t.Fatal(err)
	}
	other()

	reason := errors.New("called off")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := lock.Hold(ctx, func() { cancel(reason) }, "engine", "digest"); !errors.Is(err, reason) {
		t.Errorf("waiting ended with %v, want the reason of the cancel", err)
	}

	// Let go while the second waits: it must come through.
	again, err := lock.Hold(t.Context(), release, "engine", "digest")
	if err != nil {
		t.Fatal(err)
	}
	again()

	left, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "seatrial", "locks", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestCacheDirWithoutHome(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	dir, err := lock.CacheDir("locks")
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(os.Getenv("TMPDIR"), dir); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("cache folder %s is not below the temporary folder", dir)
	}
}

func TestCacheDirRefusesALink(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("links and owners as on Unix")
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	dir, err := lock.CacheDir("locks")
	if err != nil {
		t.Fatal(err)
	}
	ours := filepath.Dir(dir)
	if err := os.RemoveAll(ours); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), ours); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.CacheDir("locks"); err == nil {
		t.Error("a link in the place of the cache folder was followed")
	}
}
