package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

func connect(t *testing.T, url, revision string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connecting with revision %s: %v", revision, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestClientOfEachRevision(t *testing.T) {
	if n := len(server.Revisions()); n < 5 {
		t.Fatalf("only %d revisions are served", n)
	}
	for _, revision := range server.Revisions() {
		t.Run(revision, func(t *testing.T) {
			w, url := serve(t)
			s := connect(t, url+"/mcp/shop", revision)
			if got := s.InitializeResult(); got.ProtocolVersion != revision || got.ServerInfo.Name != "shop" || got.Instructions != "Sells." {
				t.Errorf("initialize says %+v", got)
			}
			checkTools(t, s)
			res := call(t, s, "echo", map[string]any{"n": 12, "more": "kept"})
			if res.IsError || textOf(res) != `{"more":"kept","n":12}` {
				t.Errorf("echo says %q, error %v", textOf(res), res.IsError)
			}
			if res := call(t, s, "count", nil); !cmp.Equal(res.StructuredContent, map[string]any{"n": 1.0}) || textOf(res) != `{"n":1}` {
				t.Errorf("count says %q and %v", textOf(res), res.StructuredContent)
			}
			if res := call(t, s, "refuse", nil); !res.IsError || textOf(res) != "over the limit" {
				t.Errorf("refuse says %q, error %v", textOf(res), res.IsError)
			}
			checkProtocolError(t, s, "strict", "bad arguments")
			checkProtocolError(t, s, "nothing", "Unknown tool: nothing")
			var tools, protocols []string
			for _, c := range w.journal() {
				tools = append(tools, c.Tool)
				protocols = append(protocols, c.Protocol)
			}
			if d := cmp.Diff([]string{"echo", "count", "refuse", "strict", "nothing"}, tools); d != "" {
				t.Errorf("journal (-want +got):\n%s", d)
			}
			for _, p := range protocols {
				if p != "mcp/"+revision {
					t.Errorf("journaled as %s", p)
				}
			}
			if last := w.journal()[4]; !last.Unmatched {
				t.Error("the call to an unknown tool is not marked as unmatched")
			}
		})
	}
}

func checkTools(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	want := []string{"count", "drop", "echo", "malformed", "panic", "refuse", "slow", "slower", "strict"}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("tools (-want +got):\n%s", d)
	}
	echo := list.Tools[2]
	if echo.Title != "Echo" || echo.Description != "Says it again." || !echo.Annotations.ReadOnlyHint {
		t.Errorf("echo is shown as %+v", echo)
	}
}

func checkProtocolError(t *testing.T, s *mcp.ClientSession, tool, message string) {
	t.Helper()
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	var we *jsonrpc.Error
	if !errors.As(err, &we) || we.Code != -32602 || we.Message != message {
		t.Errorf("%s: got %v, want error -32602 %q", tool, err, message)
	}
}

func call(t *testing.T, s *mcp.ClientSession, tool string, args any) *mcp.CallToolResult {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return res
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			b.WriteString(tc.Text)
		}
	}
	return b.String()
}

func TestFaultsOverMCP(t *testing.T) {
	for tool, what := range map[string]string{"drop": "EOF", "malformed": ""} {
		t.Run(tool, func(t *testing.T) {
			_, url := serve(t)
			s := connect(t, url+"/mcp/shop", "2025-11-25")
			_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("got error %v", err)
			}
		})
	}
	t.Run("a slow answer arrives late and whole", func(t *testing.T) {
		_, url := serve(t)
		s := connect(t, url+"/mcp/shop", "2025-11-25")
		start := time.Now()
		if res := call(t, s, "slow", nil); textOf(res) != "late" || res.IsError {
			t.Errorf("got %q, error %v", textOf(res), res.IsError)
		}
		if d := time.Since(start); d < 50*time.Millisecond {
			t.Errorf("the answer came after %v", d)
		}
	})
	t.Run("a panic is an error, and the server lives on", func(t *testing.T) {
		_, url := serve(t)
		s := connect(t, url+"/mcp/shop", "2026-07-28")
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "panic"}); err == nil {
			t.Error("no error")
		}
		if res := call(t, s, "echo", map[string]any{}); textOf(res) != "{}" {
			t.Errorf("afterwards echo says %q", textOf(res))
		}
	})
}
