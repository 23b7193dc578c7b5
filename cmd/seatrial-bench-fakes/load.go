package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// load is a crowd of clients. Each numbers its calls, so that the journal can be compared with what was sent.
type load struct {
	base string
	http *http.Client
	mu   sync.Mutex
	sent []int // calls by client
}

func newLoad(base string) *load {
	return &load{base: base, sent: make([]int, clients), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
}

// run makes n calls, at a rate a second or, with 0, as fast as they are answered, and returns how long each took.
func (l *load) run(ctx context.Context, n, rate int) ([]time.Duration, error) {
	took := make([][]time.Duration, clients)
	g, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for c := range clients {
		g.Go(func() error {
			for i := range n / clients {
				due := time.Now()
				if rate > 0 {
					due = start.Add(time.Duration(i*clients+c) * time.Second / time.Duration(rate))
					if err := until(ctx, due); err != nil {
						return err
					}
				}
				if err := l.call(ctx, c); err != nil {
					return err
				}
				took[c] = append(took[c], time.Since(due)) // from when it was due: a late start is part of the wait
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("calling the fakes: %w", err)
	}
	var all []time.Duration
	for _, t := range took {
		all = append(all, t...)
	}
	return all, nil
}

func until(ctx context.Context, due time.Time) error {
	t := time.NewTimer(time.Until(due))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// call makes the next call of client c: creations, changes and reads, over both protocols.
func (l *load) call(ctx context.Context, c int) error {
	l.mu.Lock()
	k := l.sent[c]
	l.sent[c]++
	l.mu.Unlock()
	mark := fmt.Sprintf("client-%d-%d", c, k)
	switch k % 4 {
	case 0:
		return l.mcp(ctx, "create_item", map[string]any{"name": mark, "price": k})
	case 1:
		return l.plain(ctx, "POST", "/v1/items", map[string]any{"name": mark, "price": k})
	case 2:
		return l.mcp(ctx, "update_item", map[string]any{"id": "item_1", "price": k, "mark": mark})
	}
	return l.plain(ctx, "GET", "/v1/items/item_2?mark="+mark, nil)
}

func (l *load) mcp(ctx context.Context, tool string, args any) error {
	body, err := l.post(ctx, "POST", "/mcp/shop", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err == nil && (!bytes.Contains(body, []byte(`"result"`)) || bytes.Contains(body, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %s", tool, body)
	}
	return err
}

func (l *load) plain(ctx context.Context, method, path string, args any) error {
	_, err := l.post(ctx, method, "/http/shop"+path, args)
	return err
}

func (l *load) post(ctx context.Context, method, path string, v any) ([]byte, error) {
	var body io.Reader = http.NoBody
	if v != nil {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, l.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := l.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, strings.TrimSpace(string(answer)))
	}
	return answer, err
}
