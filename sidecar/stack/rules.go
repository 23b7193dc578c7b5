package stack

import (
	"maps"
	"slices"
	"strings"
)

// verdict is what becomes of a key.
type verdict int

const (
	unknown verdict = iota // only a stem of known keys, or nothing at all
	honoured
	ignored
	warned
	refused
)

// rule is one node of the tree of known keys.
type rule struct {
	verdict verdict
	text    string // for warned and refused
	keys    map[string]*rule
}

// rules puts the tables of keys into one tree.
func rules() *rule {
	root := &rule{}
	const service = "services.*."
	for _, p := range honouredOutside() {
		root.add(p, honoured, "")
	}
	for _, p := range honouredInService() {
		root.add(service+p, honoured, "")
	}
	for _, p := range ignoredOutside() {
		root.add(p, ignored, "")
	}
	for _, p := range ignoredInService() {
		root.add(service+p, ignored, "")
	}
	for p, text := range warnedOutside() {
		root.add(p, warned, text)
	}
	for p, text := range warnedInService() {
		root.add(service+p, warned, text)
	}
	for p, text := range refusedOutside() {
		root.add(p, refused, text)
	}
	for p, text := range refusedInService() {
		root.add(service+p, refused, text)
	}
	return root
}

func (r *rule) add(path string, v verdict, text string) {
	for part := range strings.SplitSeq(path, ".") {
		if r.keys == nil {
			r.keys = make(map[string]*rule)
		}
		if r.keys[part] == nil {
			r.keys[part] = &rule{}
		}
		r = r.keys[part]
	}
	r.verdict, r.text = v, text
}

// free says that the author chooses the names of the keys below r.
func (r *rule) free() bool { return r.keys["*"] != nil }

// below finds the rule of a key under r, and nil when there is none.
func (r *rule) below(key string) *rule {
	if r.free() {
		return r.keys["*"]
	}
	return r.keys[key]
}

// names lists the known keys under r.
func (r *rule) names() []string { return slices.Sorted(maps.Keys(r.keys)) }
