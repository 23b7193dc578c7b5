package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxTools bounds what is read of a server that lists without end.
const maxTools = 10_000

// Listing is what an MCP server says of itself.
type Listing struct {
	Name, Title, Version, Instructions string
	// Tools is a JSON array as in the answer to tools/list.
	Tools json.RawMessage
}

// List asks the MCP server at url for all its tools. Header goes with each request; it may be nil.
func List(ctx context.Context, url string, header http.Header) (Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	s, err := connect(ctx, url, header)
	if err != nil {
		return Listing{}, err
	}
	defer s.Close()
	var l Listing
	if r := s.InitializeResult(); r != nil {
		l.Instructions = r.Instructions
		if r.ServerInfo != nil {
			l.Name, l.Title, l.Version = r.ServerInfo.Name, r.ServerInfo.Title, r.ServerInfo.Version
		}
	}
	tools := []*mcp.Tool{}
	for t, err := range s.Tools(ctx, nil) {
		if err != nil {
			return l, &UnreachableError{url, err}
		}
		if tools = append(tools, t); len(tools) > maxTools {
			return l, &UnreachableError{url, fmt.Errorf("it lists more than %d tools", maxTools)}
		}
	}
	if l.Tools, err = json.Marshal(tools); err != nil {
		return l, &UnreachableError{url, err}
	}
	return l, nil
}
