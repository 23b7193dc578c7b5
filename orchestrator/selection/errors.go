package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// PatternError says why a text is no pattern.
type PatternError struct{ Pattern, Reason string }

// Error names the pattern.
func (e *PatternError) Error() string {
	return fmt.Sprintf("%q is no pattern: %s", e.Pattern, e.Reason)
}

// TagError says why a text cannot be asked for as a tag.
type TagError struct{ Tag, Reason string }

// Error names the tag.
func (e *TagError) Error() string { return fmt.Sprintf("%q is no tag: %s", e.Tag, e.Reason) }

// NoMatchError says that a pattern matches none of the tasks.
type NoMatchError struct {
	Pattern string
	All     int
	// Near is the name that was probably meant, or empty.
	Near string
}

// Error names the nearest task.
func (e *NoMatchError) Error() string {
	s := fmt.Sprintf("--task %q matches none of the %s", e.Pattern, count(e.All))
	if e.Near != "" {
		s += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return s
}

// EmptyError says that a filter leaves no task.
type EmptyError struct {
	// All is how many tasks there were, and Before how many the earlier filters had left.
	All, Before int
	// Filter is the one that took them, as it was given.
	Filter string
	// Hint is what to do, or empty.
	Hint string
}

// Error says how many there were and which filter took them.
func (e *EmptyError) Error() string {
	s := fmt.Sprintf("%s leaves none of the %s", e.Filter, count(e.All))
	if e.Before < e.All {
		s = fmt.Sprintf("%s leaves none: there were %s, and the filters before it left %d", e.Filter, count(e.All), e.Before)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func count(n int) string {
	if n == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}

// noMatch finds the nearest name.
func noMatch(pattern string, all []Candidate) *NoMatchError {
	var names []string
	for _, c := range all {
		names = append(names, c.Names...)
	}
	return &NoMatchError{Pattern: pattern, All: len(all), Near: nearest.OfPattern(pattern, names)}
}

// tagHint finds the nearest tags, or says which there are.
func (s *Selection) tagHint(all []Candidate) string {
	var tags []string
	for _, c := range all {
		tags = append(tags, c.Tags...)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	for _, wanted := range s.Tags {
		if near := nearest.Of(wanted, tags); near != "" && near != wanted {
			return fmt.Sprintf("did you mean %q?", near)
		}
	}
	const most = 10
	switch {
	case len(tags) == 0:
		return "no task has tags"
	case len(tags) > most:
		return fmt.Sprintf("the tags are %s and %d more", quoted(tags[:most]), len(tags)-most)
	}
	return "the tags are " + quoted(tags)
}

func quoted(all []string) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}
