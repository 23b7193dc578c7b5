// Package example holds small complete tasks and agents to begin with, and writes them into folders.
package example

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed all:files
var files embed.FS

// mark stands in the files where the name goes.
const mark = "@NAME@"

// Kinds lists what there are examples of, sorted.
func Kinds() []string { return []string{"agent", "fake", "scoring", "task"} }

// File is one file of an example.
type File struct {
	// Path is relative to the example's folder, with forward slashes.
	Path string
	Data []byte
	// Script says that it is to be executable.
	Script bool
}

// Files returns the files of the example of a kind with a name in it, sorted by path. The error is a *NameError or a *KindError.
func Files(kind, name string) ([]File, error) {
	if !slices.Contains(Kinds(), kind) {
		return nil, &KindError{Kind: kind}
	}
	if err := CheckName(name); err != nil {
		return nil, err
	}
	top := path.Join("files", kind)
	var all []File
	err := fs.WalkDir(files, top, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(p)
		if err != nil {
			return fmt.Errorf("read an example: %w", err)
		}
		all = append(all, File{Path: strings.TrimPrefix(p, top+"/"), Data: bytes.ReplaceAll(data, []byte(mark), []byte(name)), Script: strings.HasSuffix(p, ".sh")})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the examples: %w", err)
	}
	return all, nil
}
