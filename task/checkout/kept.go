package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
)

// Kept is a commit in the cache, or what is left of one whose fetching was cut off.
type Kept struct {
	// Dir is its folder, whether that is there or not.
	Dir string
	// Bytes are those of its files.
	Bytes int64
	// Used is when a process of this user last began to use it; where none has, when it was fetched.
	Used time.Time
	// InUse says that a process of this user uses it.
	InUse bool

	parts []string // all folders of it
}

// tmpMark stands between a commit and the rest of the name of a folder that is not whole.
const tmpMark = ".tmp-"

// useOf names a commit's folder for locks.
func useOf(final string) []string { return []string{"checkout", final} }

// List lists what is in the cache. What is not a commit's folder is left alone.
func (s *Store) List() ([]Kept, error) {
	origins, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cache of repositories: %w", err)
	}
	var all []Kept
	for _, o := range origins {
		if !o.IsDir() || len(o.Name()) != originDigits || strings.Trim(o.Name(), "0123456789abcdef") != "" {
			continue
		}
		dir := filepath.Join(s.dir, o.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("reading the cache of repositories: %w", err)
		}
		found := map[string]int{} // by commit
		for _, e := range entries {
			name, _, _ := strings.Cut(e.Name(), tmpMark)
			if commit, err := ParseCommit(name); err != nil || commit != name || !e.IsDir() {
				continue
			}
			i, there := found[name]
			if !there {
				i = len(all)
				found[name] = i
				all = append(all, Kept{Dir: filepath.Join(dir, name)})
			}
			all[i].parts = append(all[i].parts, filepath.Join(dir, e.Name()))
		}
	}
	for i := range all {
		if err := all[i].look(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// look finds out how large it is, when it was used, and whether it is.
func (k *Kept) look() error {
	for _, part := range k.parts {
		if info, err := os.Lstat(part); err == nil && info.ModTime().After(k.Used) {
			k.Used = info.ModTime()
		}
		k.Bytes += size(part)
	}
	at, err := lock.LastUsed(useOf(k.Dir)...)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		k.Used = at
	}
	done, err := lock.Claim(useOf(k.Dir)...)
	if k.InUse = done == nil; done != nil {
		done(false)
	}
	return err
}

// size adds up the files below a folder. No link is followed; what goes away meanwhile counts nothing.
func size(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// Remove removes a commit from the cache, whole or, when this process is killed in it, so that it is no commit any more. kept says that a process uses it, and that it stays therefore.
func (s *Store) Remove(k Kept) (kept bool, err error) {
	done, err := lock.Claim(useOf(k.Dir)...)
	if done == nil {
		return err == nil, err
	}
	for _, part := range k.parts {
		away := part
		if part == k.Dir { // it must not be there in part
			away = part + tmpMark + "removed"
			if rerr := errors.Join(os.RemoveAll(away), os.Rename(part, away)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
				err = errors.Join(err, fmt.Errorf("removing a repository from the cache: %w", rerr))
				continue
			}
		}
		if rerr := os.RemoveAll(away); rerr != nil {
			err = errors.Join(err, fmt.Errorf("removing a repository from the cache: %w", rerr))
		}
	}
	_ = os.Remove(filepath.Dir(k.Dir)) // unless there are others of its repository
	done(err == nil)
	return false, err
}
