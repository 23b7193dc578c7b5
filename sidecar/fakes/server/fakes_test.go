package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

func fakes() []*spec.Server {
	object := json.RawMessage(`{"type":"object"}`)
	tools := []*spec.Tool{
		{Name: "count", Input: object, Output: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		{Name: "drop", Input: object},
		{Name: "echo", Title: "Echo", Description: "Says it again.", Annotations: json.RawMessage(`{"readOnlyHint":true}`),
			Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":3}},"required":["n"]}`)},
		{Name: "malformed", Input: object}, {Name: "panic", Input: object}, {Name: "refuse", Input: object},
		{Name: "slow", Input: object}, {Name: "slower", Input: object}, {Name: "strict", Input: object},
	}
	routes := []spec.Route{
		{Method: "GET", Path: "/v1/items/{id}", Tool: "echo", Params: []spec.Param{
			{Name: "id", In: "path", Type: "integer"}, {Name: "limit", In: "query", Type: "integer"},
			{Name: "tags", In: "query", Type: "array", Items: "integer"}, {Name: "key", Wire: "X-Key", In: "header"},
			{Name: "filter", In: "query", Type: "object"}}},
		{Method: "GET", Path: "/v1/items/newest", Tool: "newest"},
		{Method: "POST", Path: "/v1/items/{id}:cancel", Tool: "cancel", Body: spec.BodyMerge},
		{Method: "POST", Path: "/v1/items", Tool: "echo", Body: spec.BodyMerge},
		{Method: "DELETE", Path: "/v1/items/{id}", Tool: "drop"},
		{Method: "GET", Path: "/v1/malformed", Tool: "malformed"},
		{Method: "GET", Path: "/v1/slow", Tool: "slow"},
		{Method: "GET", Path: "/v1/slower", Tool: "slower"},
		{Method: "GET", Path: "/v1/panic", Tool: "panic"},
		{Method: "GET", Path: "/v1/refuse", Tool: "refuse"},
	}
	return []*spec.Server{{Name: "shop", Version: "1.2.3", Instructions: "Sells.", Protocols: []spec.Protocol{spec.MCP, spec.HTTP}, Tools: tools, Routes: routes}}
}

func send(t *testing.T, method, url, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
