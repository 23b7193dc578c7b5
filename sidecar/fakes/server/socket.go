package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// DefaultSocket is where the control plane listens inside the sidecar.
const DefaultSocket = "/fakes/control.sock"

// askLimit bounds one request to the control plane. Taking a snapshot of a large world is the slowest of them.
const askLimit = 2 * time.Minute

// maxTold is the largest answer of the control plane in bytes.
const maxTold = 1 << 20

// listenControl listens on a unix socket that its owner alone may use. A socket that an earlier start has left is replaced.
func listenControl(ctx context.Context, path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("replacing the control socket: %w", err)
		}
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("control socket: %w", err), ln.Close())
	}
	return ln, nil
}

// Ask carries out one verb of the control plane over its socket: status, freeze, or step with a name. A refusal is a
// *ControlError.
func Ask(ctx context.Context, socket, verb, name string) (Status, error) {
	method, target := http.MethodPost, "http://control/"+verb
	switch verb {
	case "status":
		method = http.MethodGet
	case "freeze":
	case "step":
		if err := checkStep(name); err != nil {
			return Status{}, err
		}
		target += "?" + url.Values{"name": {name}}.Encode()
	default:
		return Status{}, &ControlError{verb, "there is no such verb; the verbs are status, step NAME and freeze"}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, target, http.NoBody)
	if err != nil {
		return Status{}, fmt.Errorf("control: %w", err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return Status{}, fmt.Errorf("the fakes do not answer on %s: %w", socket, err)
	}
	defer res.Body.Close()
	var t told
	if err := json.NewDecoder(io.LimitReader(res.Body, maxTold)).Decode(&t); err != nil {
		return Status{}, fmt.Errorf("control: the answer (%s) cannot be read: %w", res.Status, err)
	}
	if t.Error != "" || res.StatusCode != http.StatusOK {
		return t.Status, &ControlError{verb, t.Error}
	}
	return t.Status, nil
}
