package images

import (
	"bytes"
	"fmt"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// Ignored makes a function that says whether a path in a build context, with slashes, is left out of it, by the text of its ignore file and further patterns.
func Ignored(ignore []byte, more ...string) (func(path string) bool, error) {
	patterns, err := ignorefile.ReadAll(bytes.NewReader(ignore))
	if err != nil {
		return nil, fmt.Errorf("reading .dockerignore: %w", err)
	}
	m, err := patternmatcher.New(append(patterns, more...))
	if err != nil {
		return nil, fmt.Errorf("reading .dockerignore: %w", err)
	}
	return func(path string) bool {
		left, err := m.MatchesOrParentMatches(path)
		return err == nil && left
	}, nil
}
