package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
)

// CacheVariable is the variable of the environment that names the cache's folder.
const CacheVariable = "SEATRIAL_CACHE"

// FetchLimit is how long one commit may take.
const FetchLimit = 15 * time.Minute

// Store is a cache of commits on this machine. Several processes may use one at the same time.
type Store struct {
	// Offline keeps to what is in the cache.
	Offline bool
	// Notice hears what takes a while, from several goroutines; nil is fine.
	Notice func(string)

	dir string
}

// NoCacheError says that there is no place for a cache.
type NoCacheError struct{ Cause error }

// Error says what to set.
func (e *NoCacheError) Error() string {
	return "there is no place to keep repositories: " + e.Cause.Error() + "; set " + CacheVariable + " to a folder"
}

// Unwrap returns the cause.
func (e *NoCacheError) Unwrap() error { return e.Cause }

// Open returns the store that the environment names: SEATRIAL_CACHE, or else seatrial in the user's cache folder. It makes nothing. The error is a *NoCacheError.
func Open(lookup func(string) (string, bool)) (*Store, error) {
	if dir, ok := lookup(CacheVariable); ok && dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, &NoCacheError{err}
		}
		return &Store{dir: filepath.Join(abs, "git")}, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, &NoCacheError{err}
	}
	return &Store{dir: filepath.Join(dir, "seatrial", "git")}, nil
}

// Tree is the files of a commit.
type Tree struct {
	// Dir is the folder that they are in.
	Dir string
	// Left are the entries that were left out, since they are not safe, with the reason of each.
	Left []Left
}

// Left is an entry of a commit that was left out.
type Left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Folder returns a folder of the tree. It is refused, with a *PathError, when it or something on the way to it was left out.
func (t *Tree) Folder(rel string) (string, error) {
	for _, l := range t.Left {
		if below(rel, l.Path) {
			return "", l.refuses(rel)
		}
	}
	return filepath.Join(t.Dir, filepath.FromSlash(rel)), nil
}

// Whole says whether something in a folder of the tree, given by its path on this machine, was left out; the error is a *PathError.
func (t *Tree) Whole(dir string) error {
	rel, err := filepath.Rel(t.Dir, dir)
	if err != nil {
		return &PathError{dir, "it is not in the commit"}
	}
	rel = filepath.ToSlash(rel)
	for _, l := range t.Left {
		if below(l.Path, rel) {
			return l.refuses(rel)
		}
	}
	return nil
}

func below(path, dir string) bool {
	return dir == "." || path == dir || strings.HasPrefix(path, dir+"/")
}

func (l Left) refuses(rel string) error {
	return &PathError{rel, fmt.Sprintf("%q of the commit was left out: %s", l.Path, l.Reason)}
}

// note is checkout.json, which a commit's folder has when it is whole.
type note struct {
	Format int    `json:"format"`
	Git    string `json:"git"`
	Commit string `json:"commit"`
	Left   []Left `json:"left_out"`
}

const (
	noteName = "checkout.json"
	treeName = "tree"
)

// folder is where a commit is kept.
func (s *Store) folder(o *Origin, commit string) string {
	sum := sha256.Sum256([]byte(o.URL))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:])[:originDigits], commit)
}

// originDigits is how much of an address's hash names its folder.
const originDigits = 32

// Dir is where the files of a commit are, or would be.
func (s *Store) Dir(o *Origin, commit string) string {
	return filepath.Join(s.folder(o, commit), treeName)
}

// FetchError says why a commit cannot be had.
type FetchError struct {
	URL, Commit string
	Cause       error
}

// Error names the commit and where it should be.
func (e *FetchError) Error() string {
	return fmt.Sprintf("commit %s of %s cannot be had: %v", e.Commit, e.URL, e.Cause)
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Cause }

// errOffline says that a commit is not in the cache.
var errOffline = errors.New("it is not in the cache, and --offline keeps to that")

// Get returns the files of a commit, from the cache or else from its origin; they appear in the cache whole or not at all, and stay at least until this process ends. The error is a
// *FetchError.
func (s *Store) Get(ctx context.Context, o *Origin, commit string) (*Tree, error) {
	t, err := s.get(ctx, o, commit)
	if err != nil {
		return nil, &FetchError{o.URL, commit, err}
	}
	return t, nil
}

func (s *Store) get(ctx context.Context, o *Origin, commit string) (*Tree, error) {
	final := s.folder(o, commit)
	done, err := lock.Use(ctx, useOf(final)...)
	if err != nil {
		return nil, err
	}
	t, err := s.have(ctx, o, commit, final)
	if err != nil {
		done()
	}
	return t, err
}

// have finds a commit's folder or makes it.
func (s *Store) have(ctx context.Context, o *Origin, commit, final string) (*Tree, error) {
	if t, err := read(final); t != nil || err != nil {
		return t, err
	}
	if s.Offline {
		return nil, errOffline
	}
	ctx, cancel := context.WithTimeoutCause(ctx, FetchLimit, fmt.Errorf("it took longer than %v", FetchLimit))
	defer cancel()
	release, err := lock.Hold(ctx, func() { s.tell("waiting for another process that fetches " + o.URL) }, "checkout", final)
	if err != nil {
		return nil, err
	}
	defer release()
	if t, err := read(final); t != nil || err != nil { // another process was faster
		return t, err
	}
	s.tell(fmt.Sprintf("fetching %s at %.12s", o.URL, commit))
	if err := s.make(ctx, o, commit, final); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return read(final)
}

func (s *Store) tell(text string) {
	if s.Notice != nil {
		s.Notice(text)
	}
}

// read reads what is kept of a commit; nil when there is nothing.
func read(folder string) (*Tree, error) {
	const most = 16 << 20
	data, err := os.ReadFile(filepath.Join(folder, noteName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var n note
	if err == nil && len(data) <= most {
		err = json.Unmarshal(data, &n)
	}
	if err != nil || n.Format != 1 {
		return nil, fmt.Errorf("the cache's %s cannot be used; remove the folder %s", noteName, folder)
	}
	return &Tree{Dir: filepath.Join(folder, treeName), Left: n.Left}, nil
}

// make makes the folder of a commit beside its place, and moves it there.
func (s *Store) make(ctx context.Context, o *Origin, commit, final string) (err error) {
	if err := os.MkdirAll(filepath.Dir(final), 0o700); err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	if stale, err := filepath.Glob(final + tmpMark + "*"); err == nil { // of processes that were killed: the lock is ours
		for _, dir := range stale {
			_ = os.RemoveAll(dir)
		}
	}
	tmp, err := os.MkdirTemp(filepath.Dir(final), filepath.Base(final)+tmpMark)
	if err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	objects, done, err := s.objects(ctx, o, commit, filepath.Join(tmp, "objects"))
	if err != nil {
		return err
	}
	left, err := write(ctx, objects, commit, filepath.Join(tmp, treeName))
	done()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(tmp, "objects")); err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	data, err := json.Marshal(note{Format: 1, Git: o.URL, Commit: commit, Left: left})
	if err != nil {
		return fmt.Errorf("%s: %w", noteName, err)
	}
	if err := os.WriteFile(filepath.Join(tmp, noteName), data, 0o600); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := os.Rename(tmp, final); err != nil {
		return fmt.Errorf("moving it into the cache: %w", err)
	}
	return nil
}
