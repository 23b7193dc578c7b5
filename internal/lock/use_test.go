package lock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
)

func claim(t *testing.T, words ...string) func(bool) {
	t.Helper()
	done, err := lock.Claim(words...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestWhatIsUsedCannotBeClaimed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if at, err := lock.LastUsed("image", "a"); err != nil || !at.IsZero() {
		t.Errorf("used at %v before it was: %v", at, err)
	}
	first, err := lock.Use(t.Context(), "image", "a")
	if err != nil {
		t.Fatal(err)
	}
	second, err := lock.Use(t.Context(), "image", "a")
	if err != nil {
		t.Fatal(err)
	}
	first()
	if claim(t, "image", "a") != nil {
		t.Error("it was claimed while it was used")
	}
	other := claim(t, "image", "b")
	if other == nil {
		t.Fatal("another one could not be claimed")
	}
	other(false)
	if at, err := lock.LastUsed("image", "b"); err != nil || !at.IsZero() {
		t.Errorf("a claim counts as a use: %v %v", at, err)
	}
	second()
	if at, err := lock.LastUsed("image", "a"); err != nil || time.Since(at) > time.Minute {
		t.Errorf("used at %v, %v", at, err)
	}
	mine := claim(t, "image", "a")
	if mine == nil || claim(t, "image", "a") != nil {
		t.Fatal("not claimed by one alone")
	}
	reason := errors.New("called off")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, reason)
	defer cancel()
	if _, err := lock.Use(ctx, "image", "a"); !errors.Is(err, reason) {
		t.Errorf("waiting for the claim to end: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		release, err := lock.Use(t.Context(), "image", "a")
		if err == nil {
			release()
		}
		got <- err
	}()
	mine(true)
	if err := <-got; err != nil {
		t.Error(err)
	}
	claim(t, "image", "a")(true)
	if at, err := lock.LastUsed("image", "a"); err != nil || !at.IsZero() {
		t.Errorf("it is remembered after it is gone: %v %v", at, err)
	}
}

// A use lasts until it is released, whether anybody remembers it or not.
func TestAUseIsNotCollected(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if _, err := lock.Use(t.Context(), "checkout", "x"); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	if claim(t, "checkout", "x") != nil {
		t.Error("it was claimed while it was used")
	}
}

func TestAUseThatIsALinkIsRefused(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("links as on Unix")
	}
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	release, err := lock.Use(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	release()
	files, _ := filepath.Glob(filepath.Join(root, "seatrial", "used", "*"))
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	if err := errors.Join(os.Remove(files[0]), os.Symlink("/dev/null", files[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Use(t.Context(), "x"); err == nil {
		t.Error("a link was followed")
	}
}
