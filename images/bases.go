package images

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/distribution/reference"
	digest "github.com/opencontainers/go-digest"
)

// BasesLabel is the label of a built image that tells its bases, as JSON.
const BasesLabel = "dev.seatrial.bases"

// Base is an image that another was built from.
type Base struct {
	Ref string `json:"ref"` // its familiar name, with its tag
	ID  string `json:"id"`  // sha256:..., of its configuration, which is its id on engines that keep images as such
	// Digest is what the registry that it came from calls its content; empty for one that was on the engine.
	Digest string `json:"digest,omitempty"`
}

// bases collects the base images of a build as they are resolved.
type bases struct {
	mu   sync.Mutex
	list []Base
}

func (b *bases) add(ref string, d digest.Digest, config []byte) {
	base := Base{Ref: familiar(ref), ID: digest.FromBytes(config).String(), Digest: d.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.list, base) {
		b.list = append(b.list, base)
	}
}

// label is the text for BasesLabel, the same for the same images.
func (b *bases) label() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortFunc(b.list, func(x, y Base) int { return strings.Compare(x.Ref+x.ID, y.Ref+y.ID) })
	data, err := json.Marshal(b.list)
	if err != nil || len(b.list) == 0 {
		return "[]"
	}
	return string(data)
}

// familiar is a reference as people write it, always with its tag.
func familiar(ref string) string {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return ref
	}
	return reference.FamiliarString(reference.TagNameOnly(named))
}

// readBases reads the label of an image. One that is not there, or that is not ours, tells nothing.
func readBases(label string) []Base {
	var list []Base
	if json.Unmarshal([]byte(label), &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(b Base) bool { return b.Ref == "" || digest.Digest(b.ID).Validate() != nil })
}

// pinned are the frontend's attributes that put other images in the place of base images: with those of a Dockerfile it finds them under the names that the Dockerfile may have for
// them.
func pinned(pins map[string]string) map[string]string {
	attrs := map[string]string{}
	for ref, by := range pins {
		name := familiar(ref)
		attrs["context:"+name] = "docker-image://" + by
		if short, ok := strings.CutSuffix(name, ":latest"); ok {
			attrs["context:"+short] = "docker-image://" + by
		}
	}
	return attrs
}
