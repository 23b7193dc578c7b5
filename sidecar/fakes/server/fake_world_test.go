package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// scripted is a world that answers by tool name and remembers what it was asked.
type scripted struct {
	mu    sync.Mutex
	calls []world.Call
}

func (s *scripted) Do(_ context.Context, c world.Call) world.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	http := 0
	if c.Protocol == "http" {
		http = 200
	}
	switch {
	case c.Unmatched:
		return world.Answer{Outcome: world.OutcomeUnmatched, Code: -32602, Message: "Unknown tool: " + c.Tool, Text: `{"error":"Not Found"}`, Status: 404}
	case c.Tool == "echo":
		return world.Answer{Outcome: world.OutcomeOK, Text: string(c.Arguments), Status: http}
	case c.Tool == "count":
		return world.Answer{Outcome: world.OutcomeOK, Text: `{"n":1}`, Structured: json.RawMessage(`{"n":1}`), Status: http}
	case c.Tool == "refuse":
		return world.Answer{Outcome: world.OutcomeToolError, Text: "over the limit", ToolError: true, Status: 400}
	case c.Tool == "strict":
		return world.Answer{Outcome: world.OutcomeRejected, Code: -32602, Message: "bad arguments"}
	case c.Tool == "drop":
		return world.Answer{Outcome: world.OutcomeFault, Fault: "drop"}
	case c.Tool == "malformed":
		return world.Answer{Outcome: world.OutcomeFault, Fault: "malformed", Text: `{"a":"0123456789"}`, Status: http}
	case c.Tool == "slow":
		return world.Answer{Outcome: world.OutcomeFault, Fault: "delay", DelayMS: 50, Text: "late", Status: http}
	case c.Tool == "slower":
		return world.Answer{Outcome: world.OutcomeFault, Fault: "delay", DelayMS: 3_600_000, Text: "late", Status: http}
	case c.Tool == "panic":
		panic("a handler broke")
	}
	return world.Answer{Outcome: world.OutcomeOK, Text: fmt.Sprint("did ", c.Tool), Status: http}
}

func (s *scripted) journal() []world.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]world.Call(nil), s.calls...)
}

func serve(t *testing.T) (*scripted, string) {
	t.Helper()
	w := new(scripted)
	s, err := server.New(server.Options{World: w, Servers: fakes()})
	if err != nil {
		t.Fatal(err)
	}
	s.SetReady()
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	return w, srv.URL
}

func post(t *testing.T, url, body string, header ...string) *http.Response {
	t.Helper()
	return send(t, http.MethodPost, url, body, header...)
}

// take returns the calls so far and forgets them.
func (s *scripted) take() []world.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}
