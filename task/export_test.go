package task

import (
	"slices"
	"strings"
)

// Keys lists the paths of the whole schema, sorted.
func Keys() []string {
	var paths []string
	for _, w := range newVocabulary().words {
		paths = append(paths, w.path())
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// NormalHost reads an entry of allowed_hosts.
func NormalHost(s string) (string, bool) { return normalHost(s) }

// HiddenExit looks for a pipe that hides an exit code.
func HiddenExit(script string) int { return hiddenExit(strings.Split(script, "\n")) }
