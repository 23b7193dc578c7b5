// Package client speaks to a server, faked or real, as an agent does: over MCP or plain HTTP. It is for people who write
// fakes, and sees only what an agent can see.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limit bounds one use of a server.
const Limit = 5 * time.Minute

// MaxAnswer is the largest answer that is read, in bytes.
const MaxAnswer = 64 << 20

// Answer is what a server said.
type Answer struct {
	// Text is the answer as the server wrote it.
	Text string
	// Structured is the structured content of an MCP answer; nil without one.
	Structured json.RawMessage
	// Failed says that the server refused: an error result of a tool, a protocol error, or an HTTP status from 400.
	Failed bool
	// Status says how: an HTTP status line, "error -32602", or empty.
	Status string
}

// UnreachableError says that a server did not answer at all, or not in the protocol.
type UnreachableError struct {
	URL   string
	Cause error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s does not answer as it should: %v", e.URL, e.Cause)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// MCP calls a tool of the server at url with args, a JSON object. Header goes with each request; it may be nil.
func MCP(ctx context.Context, url, tool string, args json.RawMessage, header http.Header) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	s, err := connect(ctx, url, header)
	if err != nil {
		return Answer{}, err
	}
	defer s.Close()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire):
		return Answer{Text: wire.Message, Failed: true, Status: fmt.Sprintf("error %d", wire.Code)}, nil
	case err != nil:
		return Answer{}, &UnreachableError{url, err}
	}
	var texts []string
	for _, c := range res.Content {
		texts = append(texts, contentText(c))
	}
	a := Answer{Text: strings.Join(texts, "\n"), Failed: res.IsError}
	if res.IsError {
		a.Status = "tool error"
	}
	if res.StructuredContent != nil {
		if a.Structured, err = json.Marshal(res.StructuredContent); err != nil {
			return a, &UnreachableError{url, err}
		}
	}
	return a, nil
}

func contentText(c mcp.Content) string {
	if t, ok := c.(*mcp.TextContent); ok {
		return t.Text
	}
	out, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func connect(ctx context.Context, url string, header http.Header) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "seatrial", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true, MaxRetries: -1,
		HTTPClient: sending(header)}
	s, err := c.Connect(ctx, transport, nil)
	if err != nil {
		return nil, &UnreachableError{url, err}
	}
	return s, nil
}
