package egress

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// control changes the policy.
func (g *Gateway) control(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/use" {
		http.Error(w, "want POST /use?policy=NAME", http.StatusNotFound)
		return
	}
	if err := g.Use(r.URL.Query().Get("policy")); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Ask tells the gateway behind a control socket to use a policy.
func Ask(ctx context.Context, socket, policy string) error {
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://egress/use?policy="+policy, nil)
	if err != nil {
		return fmt.Errorf("ask the gateway: %w", err)
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the gateway: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		return fmt.Errorf("the gateway refuses: %s", strings.TrimSpace(string(text)))
	}
	return nil
}
