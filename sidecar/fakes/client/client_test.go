package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/client"
	"github.com/seatrial/seatrial/sidecar/fakes/server"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// echo is a world that repeats what it is asked.
type echo struct{}

func (echo) Do(_ context.Context, c world.Call) world.Answer {
	switch {
	case c.Unmatched:
		return world.Answer{Outcome: world.OutcomeUnmatched, Code: -32602, Message: "Unknown tool: " + c.Tool}
	case c.Tool == "refuse":
		return world.Answer{Outcome: world.OutcomeToolError, Text: "no", ToolError: true, Status: 422}
	}
	return world.Answer{Outcome: world.OutcomeOK, Text: string(c.Arguments), Structured: c.Arguments, Status: 200}
}

func serve(t *testing.T, header *http.Header) string {
	t.Helper()
	object := json.RawMessage(`{"type":"object"}`)
	shop := &spec.Server{Name: "shop", Protocols: []spec.Protocol{spec.MCP, spec.HTTP},
		Tools: []*spec.Tool{{Name: "echo", Description: "Says it.", Input: object, Output: object}, {Name: "refuse", Input: object}},
		Routes: []spec.Route{{Method: "GET", Path: "/items/{id}", Tool: "echo"}, {Method: "POST", Path: "/items", Tool: "echo", Body: spec.BodyMerge},
			{Method: "GET", Path: "/refuse", Tool: "refuse"}}}
	s, err := server.New(server.Options{World: echo{}, Servers: []*spec.Server{shop}})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Handler()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*header = r.Header.Clone()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestCall(t *testing.T) {
	var header http.Header
	url := serve(t, &header)
	for _, tt := range []struct {
		name, target, tool, args string
		want                     client.Answer
	}{
		{"a tool over MCP", "/mcp/shop", "echo", `{"a":1}`, client.Answer{Text: `{"a":1}`, Structured: json.RawMessage(`{"a":1}`)}},
		{"a tool without arguments", "/mcp/shop", "echo", ``, client.Answer{Text: `{}`, Structured: json.RawMessage(`{}`)}},
		{"a tool that refuses", "/mcp/shop", "refuse", ``, client.Answer{Text: "no", Failed: true, Status: "tool error"}},
		{"a tool that is not there", "/mcp/shop", "none", ``, client.Answer{Text: "Unknown tool: none", Failed: true, Status: "error -32602"}},
		{"GET puts arguments into the query", "/http/shop", "GET /items/7", `{"a":1,"b":"x y"}`, client.Answer{Text: `{"a":"1","b":"x y","id":"7"}`, Status: "200 OK"}},
		{"POST puts them into the body", "/http/shop", "POST /items", `{"a":1}`, client.Answer{Text: `{"a":1}`, Status: "200 OK"}},
		{"a status from 400 is a refusal", "/http/shop", "GET /refuse", ``, client.Answer{Text: "no", Failed: true, Status: "422 Unprocessable Entity"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := client.Call(t.Context(), url+tt.target, tt.tool, json.RawMessage(tt.args), http.Header{"X-Key": {"k"}})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if header.Get("X-Key") != "k" {
				t.Error("the header did not arrive")
			}
		})
	}
}

func TestWhatDoesNotAnswer(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	var ue *client.UnreachableError
	if _, err := client.Call(t.Context(), srv.URL, "echo", nil, nil); !errors.As(err, &ue) {
		t.Errorf("a server of something else: %v", err)
	}
	srv.Close()
	for _, tool := range []string{"echo", "GET /x"} {
		if _, err := client.Call(t.Context(), srv.URL, tool, nil, nil); !errors.As(err, &ue) {
			t.Errorf("%s of a closed port: %v", tool, err)
		}
	}
	if _, err := client.HTTP(t.Context(), srv.URL, "GET", "/x", json.RawMessage(`[1]`), nil); err == nil {
		t.Error("arguments that are a list were taken")
	}
}

func TestHeadersDoNotFollowToAnotherHost(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	got, err := client.HTTP(t.Context(), first.URL, "GET", "/", nil, http.Header{"Authorization": {"Bearer secret"}})
	if err != nil || !strings.HasPrefix(got.Status, "307") || seen != nil {
		t.Errorf("got %+v, %v; the other host saw %v", got, err, seen)
	}
}

func TestList(t *testing.T) {
	var header http.Header
	l, err := client.List(t.Context(), serve(t, &header)+"/mcp/shop", nil)
	if err != nil || l.Name != "shop" {
		t.Fatalf("got %+v, %v", l, err)
	}
	var tools []struct{ Name, Description string }
	if err := json.Unmarshal(l.Tools, &tools); err != nil || len(tools) != 2 || tools[0].Name != "echo" || tools[0].Description != "Says it." {
		t.Errorf("tools %s (%v)", l.Tools, err)
	}
}
