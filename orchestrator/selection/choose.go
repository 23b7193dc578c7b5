package selection

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Choose returns the indices of the candidates that are chosen, in their order. The error is a *PatternError for a pattern that cannot be read, a *NoMatchError
// for a pattern of Tasks that matches no candidate at all, and an *EmptyError when nothing is left.
func Choose(all []Candidate, s *Selection) ([]int, error) {
	for _, p := range slices.Concat(s.Tasks, s.Exclude) {
		if err := CheckPattern(p); err != nil {
			return nil, err
		}
	}
	for _, p := range s.Tasks {
		if !slices.ContainsFunc(all, func(c Candidate) bool { return c.named(p) }) {
			return nil, noMatch(p, all)
		}
	}
	left := make([]int, len(all))
	for i := range left {
		left[i] = i
	}
	for _, f := range s.filters() {
		before := len(left)
		left = slices.DeleteFunc(left, func(i int) bool { return !f.keep(&all[i]) })
		if len(left) == 0 {
			return nil, &EmptyError{All: len(all), Before: before, Filter: f.text, Hint: f.hint(all)}
		}
	}
	if s.Limit > 0 {
		left = left[:min(len(left), s.Limit)]
	}
	return left, nil
}

// filter is one condition of a selection.
type filter struct {
	text string // as the person gave it
	keep func(*Candidate) bool
	hint func([]Candidate) string // what may help when nothing is left
}

func (s *Selection) filters() []filter {
	var all []filter
	if len(s.Tasks) > 0 {
		all = append(all, filter{flags("--task", s.Tasks), func(c *Candidate) bool { return slices.ContainsFunc(s.Tasks, c.named) }, noHint})
	}
	if len(s.Exclude) > 0 {
		all = append(all, filter{flags("--exclude", s.Exclude), func(c *Candidate) bool { return !slices.ContainsFunc(s.Exclude, c.named) }, noHint})
	}
	if len(s.Tags) > 0 {
		all = append(all, filter{flags("--tag", s.Tags), func(c *Candidate) bool { return slices.ContainsFunc(s.Tags, c.tagged) }, s.tagHint})
	}
	if len(s.ExcludeTags) > 0 {
		all = append(all, filter{flags("--exclude-tag", s.ExcludeTags), func(c *Candidate) bool { return !slices.ContainsFunc(s.ExcludeTags, c.tagged) }, noHint})
	}
	if s.Shard != nil {
		all = append(all, filter{"--shard " + s.Shard.String(), func(c *Candidate) bool { return s.Shard.Has(c.Key) },
			func([]Candidate) string { return "use fewer shards" }})
	}
	return all
}

func noHint([]Candidate) string { return "" }

// flags writes a repeated flag as it was given.
func flags(name string, values []string) string {
	given := make([]string, len(values))
	for i, v := range values {
		given[i] = fmt.Sprintf("%s %q", name, v)
	}
	return strings.Join(given, " ")
}

// CheckPattern says what is wrong with a pattern; the error is a *PatternError. Patterns are those of package path: *, ? and [a-z] match within a part between
// slashes.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return &PatternError{pattern, "it is empty"}
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return &PatternError{pattern, "a [ has no ], or a \\ nothing after it"}
	}
	return nil
}

// named says whether a pattern matches one of the candidate's names. A name that is the pattern matches it, whatever characters it has.
func (c *Candidate) named(pattern string) bool {
	return slices.ContainsFunc(c.Names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return name == pattern || err == nil && ok
	})
}

func (c *Candidate) tagged(tag string) bool { return slices.Contains(c.Tags, tag) }

// CheckTag says what is wrong with a tag that is asked for; the error is a *TagError.
func CheckTag(tag string) error {
	if tag == "" {
		return &TagError{tag, "it is empty"}
	}
	if tag[0] == '!' {
		return &TagError{tag, "to leave tasks out, use --exclude-tag " + tag[1:]}
	}
	return nil
}
