package difftrial

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// The bounds of a trial's folder: what lies beyond them is said not to have been looked at.
const (
	maxEntries = 100_000
	maxDepth   = 64
)

// The kinds of entries of a folder.
const (
	kindFile   = "file"
	kindFolder = "folder"
	kindLink   = "link"
	kindPipe   = "pipe"
	kindSocket = "socket"
	kindDevice = "device"
)

// Entry is a file, or whatever else has a name in a trial's folder.
type Entry struct {
	Kind string `json:"kind"`
	Size int64  `json:"size"` // of a file, in bytes
	// Target is where a link leads. It is not followed.
	Target string `json:"target,omitempty"`
	// Problem says why it could not be looked at.
	Problem string `json:"problem,omitempty"`
}

// listing is what the collected folders of a trial hold, by names with slashes.
type listing struct {
	entries map[string]Entry
	tally   Tally
	most    int
}

// Tally counts what a trial's folder holds.
type Tally struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Cut says that there is more than was looked at.
	Cut bool `json:"cut"`
}

// list lists what was collected of a trial: agent, verifier and artifacts, of the trial or of each of its steps. Links are not followed.
func list(ctx context.Context, root *os.Root, most int) *listing {
	l := &listing{entries: map[string]Entry{}, most: most}
	for _, name := range collected("") {
		l.one(ctx, root, name)
	}
	if st, err := root.Lstat("steps"); err != nil || !st.IsDir() {
		return l
	}
	err := l.each(ctx, root, "steps", func(step string) {
		for _, name := range collected(step) {
			l.one(ctx, root, name)
		}
	})
	if err != nil {
		l.entries["steps"] = Entry{Kind: kindFolder, Problem: bare(err)}
	}
	return l
}

// collected are the folders for what is collected, of a trial or of one of its steps; what an agent may fill with any number of files comes last.
func collected(before string) []string {
	return []string{path.Join(before, "verifier"), path.Join(before, "artifacts"), path.Join(before, "agent")}
}

// one takes an entry and what is below it.
func (l *listing) one(ctx context.Context, root *os.Root, name string) {
	if ctx.Err() != nil {
		return
	}
	st, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if len(l.entries) >= l.most {
		l.tally.Cut = true
		return
	}
	if err != nil {
		l.entries[name] = Entry{Problem: bare(err)}
		return
	}
	e := entry(root, name, st)
	if e.Kind == kindFile {
		l.tally.Files++
		l.tally.Bytes += e.Size
	}
	l.entries[name] = e
	if e.Kind != kindFolder {
		return
	}
	if strings.Count(name, "/") >= maxDepth {
		e.Problem = "too deep to be looked into"
		l.entries[name] = e
		return
	}
	if err := l.each(ctx, root, name, func(below string) { l.one(ctx, root, below) }); err != nil {
		e.Problem = bare(err)
		l.entries[name] = e
	}
}

// each goes through a folder, some entries at a time, until there are too many.
func (l *listing) each(ctx context.Context, root *os.Root, dir string, do func(name string)) error {
	const some = 1024
	f, err := root.Open(dir)
	if err != nil {
		return err //nolint:wrapcheck // its cause is what is shown
	}
	defer f.Close()
	for ctx.Err() == nil && !l.tally.Cut {
		names, err := f.Readdirnames(some)
		for _, n := range names {
			do(path.Join(dir, n))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // its cause is what is shown
		}
	}
	return nil
}

func entry(root *os.Root, name string, st fs.FileInfo) Entry {
	switch m := st.Mode(); {
	case m.IsRegular():
		return Entry{Kind: kindFile, Size: st.Size()}
	case m.IsDir():
		return Entry{Kind: kindFolder}
	case m&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return Entry{Kind: kindLink, Problem: bare(err)}
		}
		return Entry{Kind: kindLink, Target: visible([]byte(target))}
	case m&fs.ModeNamedPipe != 0:
		return Entry{Kind: kindPipe}
	case m&fs.ModeSocket != 0:
		return Entry{Kind: kindSocket}
	}
	return Entry{Kind: kindDevice}
}

// bare is the cause of an error of the file system, without the path.
func bare(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
