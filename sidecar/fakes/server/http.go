package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// maxUnmatchedBody is how much of an unmatched request's body is kept for the journal, in bytes.
const maxUnmatchedBody = 64 << 10

// httpHandler serves f's routes; path is the request's escaped path below the server's prefix.
func (s *Server) httpHandler(f *spec.Server) func(w http.ResponseWriter, r *http.Request, path string) {
	table := compile(f.Routes)
	return func(w http.ResponseWriter, r *http.Request, path string) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuseBody(w, err)
			return
		}
		route, values, allowed := table.match(r.Method, path)
		if route == nil {
			s.unmatched(w, r, f.Name, path, allowed, body)
			return
		}
		args, err := arguments(route.Route, values, r, body)
		c := world.Call{Server: f.Name, Tool: route.Tool, Arguments: args, Protocol: "http"}
		if err != nil {
			// No object at all, so that the world refuses and journals it in its own way.
			c.Arguments = quoted(strings.ToValidUTF8(string(body), "\uFFFD"))
		}
		answer(w, s.ask(r.Context(), c))
	}
}

// unmatched journals a request that no route takes, and answers as a server does that has never heard of it.
func (s *Server) unmatched(w http.ResponseWriter, r *http.Request, server, path string, allowed []string, body []byte) {
	args, _ := arguments(spec.Route{Body: spec.BodyMerge}, nil, r, body[:min(len(body), maxUnmatchedBody)])
	a := s.ask(r.Context(), world.Call{Server: server, Tool: r.Method + " " + path, Arguments: args, Protocol: "http", Unmatched: true})
	if len(allowed) > 0 && a.Outcome == world.OutcomeUnmatched {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	}
	answer(w, a)
}

// answer writes a. A world names a status; without one there is a fault in it, or it stands in a test.
func answer(w http.ResponseWriter, a world.Answer) {
	status := a.Status
	if status < http.StatusOK || status > 599 {
		status = http.StatusInternalServerError
	}
	if a.Text != "" {
		w.Header().Set("Content-Type", kindOf(a.Text))
	}
	for k, v := range a.Headers {
		w.Header().Set(k, v)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, a.Text)
}

// kindOf is the content type of a text that comes without one.
func kindOf(text string) string {
	if json.Valid([]byte(text)) {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}
