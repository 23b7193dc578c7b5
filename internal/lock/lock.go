// Package lock lets one process at a time do a piece of work, by locks on files
// in the user's cache folder.
package lock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// pollEvery is how long a waiter sleeps between two tries. The kernel can wait
// for us, but such a wait cannot be called off.
const pollEvery = 50 * time.Millisecond

// CacheDir returns a folder of ours of the given name, made where it is missing,
// mode 0700: below the user's cache folder, or below the temporary one for users
// without a home.
func CacheDir(name string) (string, error) {
	if root, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(root, "seatrial", name)
		if err := os.MkdirAll(dir, 0o700); err == nil {
			return dir, nil
		}
	}
	root := filepath.Join(os.TempDir(), "seatrial-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(root, 0o700); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("making a cache folder: %w", err)
	}
	if err := ours(root); err != nil {
		return "", err
	}
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making a cache folder: %w", err)
	}
	return dir, nil
}

// Hold takes the lock that the words name and returns how to let go of it.
// waiting is called once if another process holds it; nil is fine. Between
// processes only: within one process the caller shares the work by other means.
// It fails with the context's cause or an error of the file system.
func Hold(ctx context.Context, waiting func(), words ...string) (release func(), err error) {
	path, err := place("locks", words...)
	if err != nil {
		return nil, err
	}
	return await(ctx, waiting, func() (func(), error) { return try(path) })
}

// place is the file for some words in a cache folder of ours.
func place(folder string, words ...string) (string, error) {
	dir, err := CacheDir(folder)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, w := range words {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return filepath.Join(dir, hex.EncodeToString(h.Sum(nil))[:32]+".lock"), nil
}

// await tries until it comes to something, or ctx ends, whose cause it then returns.
// waiting is called once if the first try did not.
func await(ctx context.Context, waiting func(), try func() (func(), error)) (release func(), err error) {
	var tick *time.Ticker
	for {
		release, err := try()
		if err != nil || release != nil {
			return release, err
		}
		if tick == nil {
			tick = time.NewTicker(pollEvery)
			defer tick.Stop()
			if waiting != nil {
				waiting()
			}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}
