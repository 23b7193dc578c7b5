package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// DefaultHost is where fakes that were started by hand listen.
const DefaultHost = "http://127.0.0.1:8000"

// Call calls a tool of a target. A target without a scheme is a fake of this name on DefaultHost. A tool such as
// "GET /v1/items" is a plain HTTP request, and a URL as the target then is the base that the path is added to.
func Call(ctx context.Context, target, tool string, args json.RawMessage, header http.Header) (Answer, error) {
	method, path, spaced := strings.Cut(tool, " ")
	plain := spaced && strings.HasPrefix(path, "/") && method == strings.ToUpper(method)
	if !strings.Contains(target, "://") {
		kind := "/mcp/"
		if plain {
			kind = "/http/"
		}
		target = DefaultHost + kind + url.PathEscape(target)
	}
	if plain {
		return HTTP(ctx, target, method, path, args, header)
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return MCP(ctx, target, tool, args, header)
}
