//go:build unix

package lock

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// try takes the lock if it is free; a nil release says that it is not. The file
// goes with the lock, so a lock counts only while its file is still the one
// under that name.
func try(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("opening a lock: %w", err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, nil
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
		}
		held, err := f.Stat()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
		}
		if named, err := os.Lstat(path); err == nil && os.SameFile(held, named) {
			return func() { _, _ = os.Remove(path), f.Close() }, nil
		}
		_ = f.Close() // its holder let go and removed it in between: once more
	}
}

// share locks the file for this process beside others, and own for this one alone; a
// nil release says that somebody else's lock is in the way. The file stays, unless its
// owner removes it.
func share(path string) (release func(), err error) { return held(path, unix.LOCK_SH) }

func own(path string) (release func(), err error) { return held(path, unix.LOCK_EX) }

// held locks a file that is there under its name afterwards. It is no *os.File, which
// would close itself when nobody remembers it: the lock holds until it is released or
// the process ends.
func held(path string, how int) (release func(), err error) {
	for {
		fd, err := unix.Open(path, unix.O_CREAT|unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		err = unix.Flock(fd, how|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			_ = unix.Close(fd)
			return nil, nil
		}
		var mine, named unix.Stat_t
		if err == nil {
			err = unix.Fstat(fd, &mine)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), unix.Close(fd))
		}
		if err := unix.Lstat(path, &named); err == nil && mine.Dev == named.Dev && mine.Ino == named.Ino {
			return sync.OnceFunc(func() { _ = unix.Close(fd) }), nil
		}
		_ = unix.Close(fd) // its owner removed it in between: once more
	}
}

// ours holds a folder in a place that others can write to: it must be a folder
// of this user's, not a link.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", dir, err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user's; remove it", dir)
	}
	return nil
}
