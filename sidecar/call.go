package sidecar

import (
	"net/http"
	"strings"
	"time"
)

// How long the engine may take to answer. What is asked for only reads memory in the engine; what is changed may have to wait for a disk.
const (
	readLimit   = 15 * time.Second
	changeLimit = 60 * time.Second
	removeLimit = 25 * time.Second // so that a teardown of a minute has a second try
	storeLimit  = 5 * time.Minute  // what goes through all that is stored, or removes much of it
	streamLimit = 60 * time.Second // between two pieces of an archive, in either direction
)

// call says how a kind of request to the engine is treated.
type call struct {
	name string
	// limit is how long the engine may be silent; 0 = as long as the caller's context lasts.
	limit time.Duration
	// again says that the request may be made twice: the second time changes nothing, or is refused because of the first.
	again bool
	// stream says that the answer has no bounds, so that it is handed on as it comes; flows, that silence in it counts as well.
	stream, flows bool
	// makes says that something new may come of it even if no answer does.
	makes bool
	lane  lane
}

// callOf knows the requests of the engine's API that trials make. The start of a container or a command is never made again here: whether
// the first one counted has to be looked up.
func callOf(method, path string) call {
	p := segments(path)
	verb := p[len(p)-1]
	c := call{name: strings.ToLower(method) + " " + describe(p), limit: changeLimit, lane: laneOf(method, p[0], verb)}
	switch method {
	case http.MethodGet, http.MethodHead:
		c.limit, c.again = readLimit, true
		if verb == "df" {
			c.limit = storeLimit
		}
		c.stream = method == http.MethodGet && (verb == "archive" || verb == "events" || verb == "logs" || verb == "get")
		if verb == "archive" && c.stream {
			c.limit, c.flows, c.again = streamLimit, true, false // see Again
		}
	case http.MethodDelete:
		c.limit, c.again = removeLimit, true
		if p[0] == "images" {
			c.limit = storeLimit
		}
	case http.MethodPut:
		c.limit = streamLimit
	case http.MethodPost:
		c.post(p[0], verb)
	}
	return c
}

func (c *call) post(kind, verb string) {
	switch kind + " " + verb {
	case "containers create", "volumes create": // each has a name of its own, which it is found by the second time
		c.again, c.makes = true, true
	case "networks create":
		c.makes = true // see makeNetwork
	case "containers exec", "containers kill", "containers pause", "containers unpause", "networks connect", "networks disconnect", "exec resize":
		c.again = true
	case "containers start", "containers rename":
	default: // waits, pulls, loads: they take as long as they take
		c.limit, c.stream = 0, true
	}
}

// segments are the parts of a request's path without the API's version; at least one.
func segments(path string) []string {
	p := strings.Split(strings.Trim(path, "/"), "/")
	if len(p) > 1 && strings.HasPrefix(p[0], "v1.") {
		p = p[1:]
	}
	return p
}

// describe leaves out ids.
func describe(p []string) string {
	switch {
	case len(p) == 1:
		return p[0]
	case len(p) == 2 && p[1] != "create" && p[1] != "json":
		return p[0]
	}
	return p[0] + "/" + p[len(p)-1]
}
