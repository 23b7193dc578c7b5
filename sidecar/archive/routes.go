package archive

import (
	"path"
	"slices"
	"strings"
)

// routes are the folders of an archive that are wanted, longest first, and where they go.
type routes struct {
	all  bool
	list []route
}

type route struct {
	from []string
	to   string
}

func newRoutes(m map[string]string) routes {
	r := routes{all: m == nil}
	for from, to := range m {
		r.list = append(r.list, route{from: elements(from), to: path.Join(".", to)})
	}
	slices.SortFunc(r.list, func(a, b route) int { return len(b.from) - len(a.from) })
	return r
}

// find gives the destination folder for an entry and what is left of its name below it.
func (r routes) find(elems []string) (base string, rest []string, ok bool) {
	if r.all {
		return ".", elems, true
	}
	for _, rt := range r.list {
		if len(elems) >= len(rt.from) && slices.Equal(elems[:len(rt.from)], rt.from) {
			return rt.to, elems[len(rt.from):], true
		}
	}
	return "", nil, false
}

func elements(name string) []string {
	return slices.DeleteFunc(strings.Split(name, "/"), func(s string) bool { return s == "" || s == "." })
}
