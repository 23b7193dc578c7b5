package base

import (
	"fmt"
	"slices"
	"strings"
)

// ParseDepends reads a relationship field (Debian policy 7.1): a list of
// alternatives. Version bounds and architecture qualifiers are dropped, for an
// archive's release is consistent in itself.
func ParseDepends(field string) []Alternatives {
	var all []Alternatives
	for group := range strings.SplitSeq(field, ",") {
		var names Alternatives
		for one := range strings.SplitSeq(group, "|") {
			one = strings.TrimSpace(one)
			if i := strings.IndexAny(one, " \t\n([:<"); i >= 0 {
				one = one[:i]
			}
			if one != "" {
				names = append(names, one)
			}
		}
		if len(names) > 0 {
			all = append(all, names)
		}
	}
	return all
}

// MissingPackageError says that nothing in the archive meets a dependency.
type MissingPackageError struct {
	Wanted   string // the alternatives, joined by " | "
	NeededBy string // the package that asks for it; empty for one of the first wishes
}

// Error implements error.
func (e *MissingPackageError) Error() string {
	if e.NeededBy == "" {
		return fmt.Sprintf("the archive has no package %s: is the mirror complete?", e.Wanted)
	}
	return fmt.Sprintf("the archive has nothing for %s, which %s depends on: is the mirror complete?", e.Wanted, e.NeededBy)
}

// Resolve returns the packages of the given names with all that they depend on,
// sorted by name. What is chosen already meets a dependency; else the first
// alternative that exists, itself or by a package that provides it, is taken.
// It fails with *MissingPackageError.
func Resolve(x *Index, names ...string) ([]*Package, error) {
	r := resolver{index: x, chosen: map[string]*Package{}, provided: map[string]bool{}}
	for _, name := range names {
		p := x.Find(name)
		if p == nil {
			return nil, &MissingPackageError{Wanted: name}
		}
		r.choose(p)
	}
	for len(r.queue) > 0 {
		p := r.queue[0]
		r.queue = r.queue[1:]
		for _, alternatives := range p.Depends {
			if err := r.meet(p, alternatives); err != nil {
				return nil, err
			}
		}
	}
	all := make([]*Package, 0, len(r.chosen))
	for _, p := range r.chosen {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Package) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

type resolver struct {
	index    *Index
	chosen   map[string]*Package
	provided map[string]bool
	queue    []*Package
}

func (r *resolver) choose(p *Package) {
	if r.chosen[p.Name] != nil {
		return
	}
	r.chosen[p.Name] = p
	for _, name := range p.Provides {
		r.provided[name] = true
	}
	r.queue = append(r.queue, p)
}

func (r *resolver) meet(asker *Package, alternatives Alternatives) error {
	for _, name := range alternatives {
		if r.chosen[name] != nil || r.provided[name] {
			return nil
		}
	}
	for _, name := range alternatives {
		if p := r.index.Find(name); p != nil {
			r.choose(p)
			return nil
		}
		if found := r.index.Providers(name); len(found) > 0 {
			r.choose(found[0])
			return nil
		}
	}
	return &MissingPackageError{Wanted: strings.Join(alternatives, " | "), NeededBy: asker.Name}
}
