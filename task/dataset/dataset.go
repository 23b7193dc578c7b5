// Package dataset reads files that list tasks: seatrial's own, in TOML or JSON, and Harbor's registry.json. It reads the file alone; package checkout fetches
// what is in other repositories.
package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// Bounds of what is read.
const (
	MaxSize  = 32 << 20 // bytes of a file
	maxTOML  = 4 << 20  // bytes of a file in TOML
	MaxTasks = 100_000  // in a file
	maxText  = 4096     // bytes of a value
)

// File is a file that lists tasks.
type File struct {
	// Path is where it was read from.
	Path string
	// Registry says that it is a registry of several named datasets. Else there is one.
	Registry bool
	Datasets []Dataset
}

// Dataset is a list of tasks.
type Dataset struct {
	Name, Version string
	Tasks         []Source
}

// Ref is the dataset's name and version, in the form that Pick reads.
func (d *Dataset) Ref() string {
	if d.Version == "" {
		return d.Name
	}
	return d.Name + "@" + d.Version
}

// Source says where a task is. Nothing in it has been looked at beyond its form.
type Source struct {
	// Name is what the dataset calls the task, or empty.
	Name string
	// Path is the task's folder with forward slashes: below the repository, or else below the folder of the file.
	Path string
	// Git is the repository, and Commit what is to be taken of it; both are empty for a folder of this machine.
	Git, Commit string
}

// PickError says that a registry has no such dataset, or more than one.
type PickError struct {
	File, Ref string
	Reason    string
}

// Error says which datasets there are instead.
func (e *PickError) Error() string {
	if e.Ref == "" {
		return fmt.Sprintf("%s is a registry: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("dataset %q of %s: %s", e.Ref, e.File, e.Reason)
}

// Pick returns the dataset that ref means: NAME@VERSION, or NAME where the registry has one version of it. The error is a *PickError.
func (f *File) Pick(ref string) (*Dataset, error) {
	var named []*Dataset
	var all []string
	for i := range f.Datasets {
		d := &f.Datasets[i]
		all = append(all, d.Ref())
		if d.Ref() == ref {
			return d, nil
		}
		if d.Name == ref {
			named = append(named, d)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		var refs []string
		for _, d := range named {
			refs = append(refs, d.Ref())
		}
		return nil, &PickError{f.Path, ref, "it has several versions; name one of " + strings.Join(few(refs), ", ")}
	}
	if near := nearest.Of(ref, all); near != "" {
		return nil, &PickError{f.Path, ref, "there is none; did you mean " + near + "?"}
	}
	return nil, &PickError{f.Path, ref, "there is none; there are " + strings.Join(few(all), ", ")}
}

// Refs are the datasets that can be picked.
func (f *File) Refs() []string {
	var all []string
	for i := range f.Datasets {
		all = append(all, f.Datasets[i].Ref())
	}
	return few(all)
}

// few shortens a list for a message.
func few(all []string) []string {
	const most = 10
	if len(all) == 0 {
		return []string{"none"}
	}
	if len(all) <= most {
		return all
	}
	return append(slices.Clone(all[:most]), fmt.Sprintf("and %d more", len(all)-most))
}
