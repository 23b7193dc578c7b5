package sidecar

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"
)

// upgrade sends a request whose answer is a raw connection. How long the engine may be silent before it answers is bounded, and ctx ends the
// waiting; the connection that comes of it is the caller's alone. The engine's client has such calls too, but theirs wait for ever.
func (e *Engine) upgrade(ctx context.Context, path, proto string, header http.Header, body []byte) (net.Conn, error) {
	c := call{name: "post " + describe(segments(path)), limit: changeLimit}
	if e.host.CallLimit > 0 {
		c.limit = min(c.limit, e.host.CallLimit)
	}
	conn, err := e.api.Dialer()(ctx)
	if err != nil {
		return nil, &CallError{Call: c.name, Tries: 1, Cause: err}
	}
	w := watchSilence(ctx, c.limit)
	defer w.stop()
	release := context.AfterFunc(w.ctx, func() { _ = conn.Close() }) //nolint:contextcheck // it is derived from ctx
	r, err := e.handshake(ctx, conn, path, proto, header, body)
	if !release() && err == nil { // the answer came as it was given up
		err = context.Cause(w.ctx) //nolint:contextcheck // likewise
	}
	if err != nil {
		_ = conn.Close()
		if errdefs.IsUnknown(err) || w.ctx.Err() != nil {
			return nil, w.explain(ctx, c, err)
		}
		return nil, err
	}
	return upgraded{Conn: conn, r: r}, nil
}

// handshake returns an errdefs error for a refusal, and one of the unknown kind for a connection that broke.
func (e *Engine) handshake(ctx context.Context, conn net.Conn, path, proto string, header http.Header, body []byte) (*bufio.Reader, error) {
	broken := func(err error) error { return fmt.Errorf("%w: %w", errdefs.ErrUnknown, err) }
	host, base := e.requestHost()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host+base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errdefs.ErrInvalidArgument, err)
	}
	for k, v := range header {
		req.Header[http.CanonicalHeaderKey(k)] = v
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", proto)
	if err := req.Write(conn); err != nil {
		return nil, broken(err)
	}
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, broken(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		return nil, fmt.Errorf("%w: %s: %s", kindOf(resp.StatusCode), resp.Status, strings.TrimSpace(string(text)))
	}
	return r, nil
}

// requestHost is what stands in the request's Host header, and the path below which a proxied engine is.
func (e *Engine) requestHost() (host, base string) {
	u, err := client.ParseHostURL(e.api.DaemonHost())
	if err != nil || u.Scheme == "unix" || u.Scheme == "npipe" || u.Host == "" {
		return client.DummyHost, ""
	}
	return (&url.URL{Host: u.Host}).Host, strings.TrimSuffix(u.Path, "/")
}

func kindOf(status int) error {
	switch status {
	case http.StatusNotFound:
		return errdefs.ErrNotFound
	case http.StatusConflict:
		return errdefs.ErrConflict
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return errdefs.ErrUnavailable
	}
	if status < http.StatusInternalServerError {
		return errdefs.ErrInvalidArgument
	}
	return errdefs.ErrInternal
}

// upgraded is a raw connection of which a part has been read ahead.
type upgraded struct {
	net.Conn
	r *bufio.Reader
}

// Read implements io.Reader.
func (u upgraded) Read(p []byte) (int, error) { return u.r.Read(p) } //nolint:wrapcheck // a reader hands errors on

// CloseWrite ends the connection in one direction, where it can.
func (u upgraded) CloseWrite() error {
	if c, ok := u.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// Builds is the engine as package images wants it: raw connections to BuildKit cannot hang before they are there.
type Builds struct {
	*client.Client
	e *Engine
}

// Builds returns the engine for package images.
func (e *Engine) Builds() Builds { return Builds{Client: e.api, e: e} }

// DialHijack opens a raw connection at a path of the engine that has no version. The context bounds the opening alone.
func (b Builds) DialHijack(ctx context.Context, path, proto string, meta map[string][]string) (net.Conn, error) {
	return b.e.upgrade(ctx, path, proto, meta, nil)
}
