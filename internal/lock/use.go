package lock

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Use says that this process uses what the words name, beside any number of others,
// until release is called or the process ends, whichever comes first. Both ends are
// noted for LastUsed. It waits while somebody has a Claim to it, and fails with the
// context's cause or an error of the file system.
func Use(ctx context.Context, words ...string) (release func(), err error) {
	path, err := place("used", words...)
	if err != nil {
		return nil, err
	}
	return await(ctx, nil, func() (func(), error) {
		leave, err := share(path)
		if leave == nil {
			return nil, err
		}
		touch(path)
		return func() { touch(path); leave() }, nil
	})
}

// Claim has what the words name to itself, in order to remove it, unless somebody
// uses it or has a claim to it already; then done is nil. done gives it back; gone
// says that it was removed, so that nothing of it need be remembered.
func Claim(words ...string) (done func(gone bool), err error) {
	path, err := place("used", words...)
	if err != nil {
		return nil, err
	}
	_, err = os.Lstat(path)
	unknown := os.IsNotExist(err)
	leave, err := own(path)
	if leave == nil {
		return nil, err
	}
	return func(gone bool) {
		if gone || unknown { // the claim is no use
			_ = os.Remove(path) // an empty file that stays does no harm
		}
		leave()
	}, nil
}

// LastUsed is when a process of this user last began or ceased to use what the words
// name; zero where that is not known.
func LastUsed(words ...string) (time.Time, error) {
	path, err := place("used", words...)
	if err != nil {
		return time.Time{}, err
	}
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("looking at %s: %w", path, err)
	}
	return info.ModTime(), nil
}

// touch notes the time. Without it something counts as used earlier than it was.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}
