package images

import (
	"slices"

	"github.com/distribution/reference"
)

// Makeable tells whether an image can be made from a distribution's packages
// when no registry answers, and its usual name. Digest-pinned references cannot.
func Makeable(ref string) (name string, ok bool) {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return "", false
	}
	if _, pinned := named.(reference.Digested); pinned {
		return "", false
	}
	name = reference.FamiliarString(reference.TagNameOnly(named))
	return name, slices.Contains(MakeableNames(), name)
}

// MakeableNames lists the images that Makeable says yes to.
func MakeableNames() []string {
	return []string{"busybox:latest", "debian:bookworm", "debian:bookworm-slim", "debian:trixie", "debian:trixie-slim"}
}
