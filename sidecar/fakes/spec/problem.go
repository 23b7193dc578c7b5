package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with the declared fakes.
type Problem struct {
	// File is below the folder of the fakes, with slashes; empty when no file is at fault.
	File string
	// Line starts at 1; 0 when no line is at fault.
	Line int
	// Key is the dotted path of the key at fault, or empty.
	Key string
	// What says what is wrong and what to do.
	What string
	// Near is the known name that is probably meant, or empty.
	Near string
}

// Error gives the problem on one line.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(strings.Join(strings.Fields(p.What), " "))
	if p.Near != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Near)
	}
	return b.String()
}

// Problems is everything that is wrong, sorted by file and line.
type Problems []*Problem

// Error gives a line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the problems one by one.
func (p Problems) Unwrap() []error {
	errs := make([]error, len(p))
	for i, one := range p {
		errs[i] = one
	}
	return errs
}

// err gives p sorted and each problem once, or nil when there is none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	p = slices.Clone(p)
	slices.SortStableFunc(p, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key), cmp.Compare(a.What, b.What))
	})
	return slices.CompactFunc(p, func(a, b *Problem) bool { return *a == *b })
}
