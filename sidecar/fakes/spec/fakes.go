package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fakes are the declared servers.
type Fakes struct {
	// Servers are sorted by name.
	Servers []*Server

	problems Problems
}

// Server gives the server called name.
func (f *Fakes) Server(name string) (*Server, bool) {
	for _, s := range f.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Names gives the names of the servers, sorted.
func (f *Fakes) Names() []string {
	names := make([]string, len(f.Servers))
	for i, s := range f.Servers {
		names[i] = s.Name
	}
	return names
}

// Only gives the fakes with the servers of these names alone; no names mean all. The error is an *UnknownError.
func (f *Fakes) Only(names ...string) (*Fakes, error) {
	if len(names) == 0 {
		return f, nil
	}
	chosen := &Fakes{problems: f.problems}
	for _, name := range names {
		if _, ok := f.Server(name); !ok {
			return nil, &UnknownError{What: "server", Name: name, Known: f.Names(), Near: Nearest(name, f.Names())}
		}
	}
	for _, s := range f.Servers {
		if slices.Contains(names, s.Name) {
			chosen.Servers = append(chosen.Servers, s)
		}
	}
	return chosen, nil
}

// Scenarios gives the names of the scenarios of all servers, sorted.
func (f *Fakes) Scenarios() []string {
	names := map[string]bool{}
	for _, s := range f.Servers {
		for name := range s.scenarios {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// UnknownError is a name that nothing bears.
type UnknownError struct {
	What, Name string
	Known      []string
	Near       string // the known name that is probably meant, or empty
}

// Error gives the nearest name, or the known ones.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no %s %q", e.What, e.Name)
	switch {
	case e.Near != "":
		return fmt.Sprintf("%s; did you mean %q?", text, e.Near)
	case len(e.Known) == 0:
		return text + "; none is declared"
	}
	return text + "; there are " + strings.Join(e.Known, ", ")
}
