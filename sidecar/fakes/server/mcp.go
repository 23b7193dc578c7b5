package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// The JSON-RPC codes that the wire itself uses.
const (
	codeInvalidRequest = jsonrpc.CodeInvalidRequest
	codeInternal       = jsonrpc.CodeInternalError
)

// methodCallTool is MCP's name of a tool call.
const methodCallTool = "tools/call"

// Revisions are the revisions of MCP that are served, newest first.
func Revisions() []string { return mcp.SupportedProtocolVersions() }

// mcpHandler serves f over streamable HTTP. It keeps no sessions: the state is the world's, so a client that connects again
// finds what it has left, and every revision is served by the same handler.
func (s *Server) mcpHandler(f *spec.Server) (http.Handler, error) {
	m := mcp.NewServer(&mcp.Implementation{Name: f.Name, Version: f.Version}, &mcp.ServerOptions{
		Instructions: f.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	known := make(map[string]bool, len(f.Tools))
	for _, t := range f.Tools {
		if err := addTool(m, t); err != nil {
			return nil, &ToolError{Server: f.Name, Tool: t.Name, Cause: err}
		}
		known[t.Name] = true
	}
	m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok && method == methodCallTool {
				return s.callTool(ctx, f.Name, known, call)
			}
			return next(ctx, method, req)
		}
	})
	opts := &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody,
		// The agent reaches the fake by the service's name; where both share a network namespace that is a loopback address.
		DisableLocalhostProtection: true,
	}
	return unbatch(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, opts)), nil
}

// callTool carries out one tools/call. It stands before the SDK's own dispatch, so that the arguments arrive as they were
// sent, and a call to an unknown tool is journaled too.
func (s *Server) callTool(ctx context.Context, server string, known map[string]bool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := world.Call{Server: server, Tool: req.Params.Name, Arguments: req.Params.Arguments, Protocol: "mcp/" + revision(req.Session)}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	c.Unmatched = !known[c.Tool]
	a := s.ask(ctx, c)
	if a.Code != 0 {
		return nil, &jsonrpc.Error{Code: int64(a.Code), Message: a.Message}
	}
	res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}, IsError: a.ToolError}
	if a.Structured != nil {
		res.StructuredContent = a.Structured
	}
	return res, nil
}

// revision is the protocol revision that a session speaks.
func revision(ss *mcp.ServerSession) string {
	if ss != nil {
		if p := ss.InitializeParams(); p != nil && p.ProtocolVersion != "" {
			return p.ProtocolVersion
		}
	}
	return "unknown"
}

// addTool registers t; what the SDK refuses by a panic comes back as an error.
func addTool(m *mcp.Server, t *spec.Tool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	tool := &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input}
	if t.Input == nil {
		tool.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if t.Output != nil {
		tool.OutputSchema = t.Output
	}
	if t.Annotations != nil {
		tool.Annotations = new(mcp.ToolAnnotations)
		if err := json.Unmarshal(t.Annotations, tool.Annotations); err != nil {
			return fmt.Errorf("annotations: %w", err)
		}
	}
	m.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("tools are called before the dispatch")
	})
	return nil
}
