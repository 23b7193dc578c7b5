package sidecar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lock takes a lock between the processes of this machine for one thing on one engine. Waiting ends with ctx. When no folder for locks
// can be had, the lock is granted: everything it guards is also safe, if slower, without it.
func (e *Engine) lock(ctx context.Context, what string) (func(), error) {
	dir, err := lockDir()
	if err != nil {
		return func() {}, nil //nolint:nilerr // see above
	}
	sum := sha256.Sum256([]byte(e.host.Address + "\x00" + what))
	f, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(sum[:8])+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {}, nil //nolint:nilerr // see above
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return func() {}, nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("wait for another process (%s): %w", what, err)
		}
	}
}

func lockDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "seatrial", "locks")
		if err = os.MkdirAll(dir, 0o700); err == nil {
			return dir, nil
		}
	}
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("seatrial-%d", os.Getuid()), "locks")
	return dir, os.MkdirAll(dir, 0o700) //nolint:wrapcheck // only its being nil is used
}
