package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// HTTP sends args, a JSON object, to a path below base: in the query for GET, HEAD and DELETE, else as the body. Header goes with
// the request; it may be nil.
func HTTP(ctx context.Context, base, method, path string, args json.RawMessage, header http.Header) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	target := strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
	var members map[string]json.RawMessage
	if len(args) > 0 {
		if err := json.Unmarshal(args, &members); err != nil {
			return Answer{}, fmt.Errorf("the arguments are no JSON object: %w", err)
		}
	}
	var body io.Reader = http.NoBody
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		if q := query(members); q != "" {
			target += "?" + q
		}
	default:
		if len(members) > 0 {
			body = strings.NewReader(string(args))
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return Answer{}, &UnreachableError{target, err}
	}
	if body != http.NoBody {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := sending(header).Do(req)
	if err != nil {
		return Answer{}, &UnreachableError{target, err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer))
	if err != nil {
		return Answer{}, &UnreachableError{target, err}
	}
	return Answer{Text: string(text), Failed: res.StatusCode >= http.StatusBadRequest, Status: res.Status}, nil
}

func query(members map[string]json.RawMessage) string {
	q := url.Values{}
	for k, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		q.Set(k, text)
	}
	return q.Encode()
}
