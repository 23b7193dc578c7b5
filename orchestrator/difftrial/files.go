package difftrial

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// How files are not the same.
const (
	OnlyOld     = "only_old"
	OnlyNew     = "only_new"
	KindDiffers = "kind"         // one is a file, and the other a folder or a link
	Content     = "content"      // both are files
	Target      = "target"       // both are links
	NotCompared = "not_compared" // it could not be told
)

// The bounds of what is shown of files.
const (
	maxFiles     = 2000 // that are listed
	maxHunkFiles = 100  // that are shown line by line
)

// FilesPart compares what was collected of both trials.
type FilesPart struct {
	Differs bool  `json:"differs"`
	Old     Tally `json:"old"`
	New     Tally `json:"new"`
	Same    int   `json:"same"` // files and whatever else is the same on both sides, folders left out
	// Listed are those that are not the same, by name.
	Listed  []File `json:"listed"`
	LeftOut int    `json:"left_out"` // that are not the same besides
	// NotCompared counts those of which it could not be told.
	NotCompared int `json:"not_compared"`
}

// File is something that is not the same in both folders.
type File struct {
	Name string `json:"name"` // as visible writes it
	How  string `json:"how"`
	Old  *Entry `json:"old"`
	New  *Entry `json:"new"`
	// Below counts what is below a folder to which the other side has none.
	Below *Tally `json:"below,omitempty"`
	// Binary says that a file holds zero bytes, so that its lines are not shown.
	Binary bool `json:"binary,omitempty"`
	// Lines are the beginning of a unified diff without the names of the files, each as visible writes it, with "..." where some are left out; LinesLeftOut counts those after its end.
	Lines        []string `json:"lines,omitempty"`
	LinesLeftOut int      `json:"lines_left_out,omitempty"`
	// First is where files that are too large for that, or have too long lines, cease to be the same.
	First *First `json:"first,omitempty"`
	// Problem says why it could not be compared, or not to its end.
	Problem string `json:"problem,omitempty"`

	path string
}

// files compares the collected folders. The logs of commands are left out.
func (r *reader) files(ctx context.Context, logs map[string]bool) *FilesPart {
	return r.filesOf(ctx, logs, maxEntries)
}

// filesOf looks at no more than most entries of each trial.
func (r *reader) filesOf(ctx context.Context, logs map[string]bool, most int) *FilesPart {
	was, now := list(ctx, r.old, most), list(ctx, r.new, most)
	p := &FilesPart{Old: was.tally, New: now.tally, Listed: []File{}}
	names := keys(was.entries, now.entries)
	slices.SortFunc(names, byFolder)
	shown, skip := 0, ""
	for _, name := range names {
		if ctx.Err() != nil {
			return p
		}
		if logs[name] || skip != "" && strings.HasPrefix(name, skip) {
			continue
		}
		a, inA := was.entries[name]
		b, inB := now.entries[name]
		f := File{Name: visible([]byte(name)), path: name}
		if inA {
			f.Old = &a
		}
		if inB {
			f.New = &b
		}
		if !inA && there(r.old, name) || !inB && there(r.new, name) {
			p.NotCompared++
			continue
		}
		if (a.Kind == kindFolder) != (b.Kind == kindFolder) {
			skip = name + "/"
			f.Below = below(names, skip, was, now)
		}
		r.compare(ctx, &f, shown < maxHunkFiles)
		if len(f.Lines) > 0 {
			shown++
		}
		p.take(f)
	}
	return p
}

// take counts a file, and lists it unless both are the same.
func (p *FilesPart) take(f File) {
	switch f.How {
	case "":
		if f.Old.Kind != kindFolder {
			p.Same++
		}
		return
	case NotCompared:
		p.NotCompared++
	default:
		p.Differs = true
	}
	if len(p.Listed) >= maxFiles {
		p.LeftOut++
		return
	}
	p.Listed = append(p.Listed, f)
}

// byFolder sorts names so that what is below a folder follows it.
func byFolder(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	switch {
	case n == len(a) || n == len(b):
		return cmp.Compare(len(a), len(b))
	case a[n] == '/':
		return -1
	case b[n] == '/':
		return 1
	}
	return cmp.Compare(a[n], b[n])
}

// there says that a name is there, or may be. One that was not listed can be: there was too much, or its folder could not be read.
func there(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// below counts what is below a folder to which the other side has none.
func below(names []string, prefix string, was, now *listing) *Tally {
	t := &Tally{Cut: was.tally.Cut || now.tally.Cut}
	from, _ := slices.BinarySearchFunc(names, prefix, byFolder)
	for _, name := range names[from:] {
		if !strings.HasPrefix(name, prefix) {
			break
		}
		e, ok := was.entries[name]
		if !ok {
			e = now.entries[name]
		}
		if e.Kind == kindFile {
			t.Files++
			t.Bytes += e.Size
		}
	}
	return t
}
