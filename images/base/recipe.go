package base

import (
	"slices"

	"github.com/seatrial/seatrial/images"
)

// busyboxSuite is where the package busybox-static is taken from.
const busyboxSuite = "trixie"

// recipe says how one base image is made. Pure data.
type recipe struct {
	name    string // as images.Makeable gives it
	suite   string
	slim    bool
	busybox bool
}

// recipeFor finds the recipe for an image reference.
func recipeFor(ref string) (recipe, bool) {
	name, ok := images.Makeable(ref)
	if !ok {
		return recipe{}, false
	}
	all := []recipe{
		{name: "debian:bookworm", suite: "bookworm"},
		{name: "debian:bookworm-slim", suite: "bookworm", slim: true},
		{name: "debian:trixie", suite: "trixie"},
		{name: "debian:trixie-slim", suite: "trixie", slim: true},
		{name: "busybox:latest", suite: busyboxSuite, busybox: true},
	}
	i := slices.IndexFunc(all, func(r recipe) bool { return r.name == name })
	if i < 0 {
		return recipe{}, false
	}
	return all[i], true
}
