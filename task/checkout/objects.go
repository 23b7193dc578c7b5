package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// objectCache is how many bytes of objects are kept in memory.
const objectCache = 32 << 20

// objects returns a store that holds the commit, if its origin has it, and how to let go of it. What is fetched goes below dir.
func (s *Store) objects(ctx context.Context, o *Origin, commit, dir string) (storer.EncodedObjectStorer, func(), error) {
	if !o.Local {
		st := open(dir)
		if err := fetch(ctx, st, o.URL, commit, dir); err != nil {
			_ = st.Close()
			return nil, nil, err
		}
		return st, func() { _ = st.Close() }, nil
	}
	root, err := repository(o.URL)
	if err != nil {
		return nil, nil, err
	}
	st := open(root)
	return st, func() { _ = st.Close() }, nil
}

func open(dir string) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(osfs.New(dir, osfs.WithBoundOS()), cache.NewObjectLRU(objectCache), filesystem.Options{LargeObjectThreshold: maxInMemory})
}

// maxInMemory is from how many bytes on objects are read from the disk as they are needed.
const maxInMemory = 8 << 20

// repository finds the folder with the objects of a repository of this machine: the path itself, or .git in it.
func repository(path string) (string, error) {
	for _, dir := range []string{filepath.Join(path, ".git"), path} {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return "", fmt.Errorf("%s is a file; name the repository itself, not a working tree of it", dir)
		case err == nil && isDir(filepath.Join(dir, "objects")):
			return dir, nil
		}
	}
	if !isDir(path) {
		return "", errors.New("there is no such folder")
	}
	return "", errors.New("it is no git repository")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
