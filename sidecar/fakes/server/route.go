package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// routes matches requests of one HTTP server.
type routes struct {
	list []compiled
}

type compiled struct {
	spec.Route
	segments []segment
}

// segment is one part of a path template: text, or text round one parameter as in {id}:cancel.
type segment struct {
	before, name, after string
}

func compile(list []spec.Route) routes {
	r := routes{}
	for _, one := range list {
		c := compiled{Route: one}
		for part := range strings.SplitSeq(strings.TrimPrefix(one.Path, "/"), "/") {
			c.segments = append(c.segments, parseSegment(part))
		}
		r.list = append(r.list, c)
	}
	// Text wins over parameters, from left to right, as OpenAPI has it: "concrete paths are matched before templated ones".
	slices.SortStableFunc(r.list, func(a, b compiled) int { return slices.CompareFunc(a.segments, b.segments, segment.compare) })
	return r
}

func parseSegment(part string) segment {
	before, rest, open := strings.Cut(part, "{")
	name, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return segment{before: part}
	}
	return segment{before, name, after}
}

// compare puts the more exact segment first.
func (s segment) compare(o segment) int {
	weight := func(x segment) int {
		if x.name == "" {
			return 0
		}
		return 1 + 1000 - min(len(x.before)+len(x.after), 1000)
	}
	return weight(s) - weight(o)
}

func (s segment) match(part string) (value string, ok bool) {
	if s.name == "" {
		return "", part == s.before
	}
	v, ok := strings.CutPrefix(part, s.before)
	if !ok {
		return "", false
	}
	v, ok = strings.CutSuffix(v, s.after)
	return v, ok && v != ""
}

// match finds the route of a request. Without one, allowed holds the methods that the path has, sorted; none means that
// there is no such path.
func (r routes) match(method, escaped string) (c *compiled, path map[string]string, allowed []string) {
	parts := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for i, p := range parts {
		u, err := url.PathUnescape(p)
		if err != nil {
			return nil, nil, nil
		}
		parts[i] = u
	}
	var head *compiled
	var headPath map[string]string
	for i := range r.list {
		one := &r.list[i]
		values, ok := one.match(parts)
		if !ok {
			continue
		}
		if one.Method == method {
			return one, values, nil
		}
		if method == http.MethodHead && one.Method == http.MethodGet && head == nil {
			head, headPath = one, values
		}
		allowed = append(allowed, one.Method)
	}
	if head != nil {
		return head, headPath, nil
	}
	slices.Sort(allowed)
	return nil, nil, slices.Compact(allowed)
}

func (c *compiled) match(parts []string) (map[string]string, bool) {
	if len(parts) != len(c.segments) {
		return nil, false
	}
	values := map[string]string{}
	for i, s := range c.segments {
		v, ok := s.match(parts[i])
		if !ok {
			return nil, false
		}
		if s.name != "" {
			values[s.name] = v
		}
	}
	return values, true
}
