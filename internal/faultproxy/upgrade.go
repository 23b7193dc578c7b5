package faultproxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// upgrade passes a raw connection through, as far as the fault lets it.
func (p *Proxy) upgrade(w http.ResponseWriter, r *http.Request, kind Kind, f Fault) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		abort(r)
	}
	up, resp, err := p.open(r, kind, body)
	if err != nil {
		abort(r)
	}
	defer up.Close()
	switch f.What {
	case DroppedAfter:
		panic(http.ErrAbortHandler)
	case AnsweredAfter:
		refuse(w, r, f.Status)
		return
	case HungAfter:
		p.hang(r)
		return
	case Duplicated:
		second, _, err := p.open(r, kind, body)
		if err == nil {
			defer second.Close()
		}
	}
	down, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		abort(r)
	}
	defer down.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		_ = resp.Write(down)
		return
	}
	_, err = fmt.Fprintf(down, "HTTP/1.1 101 %s\r\n", http.StatusText(http.StatusSwitchingProtocols))
	if err == nil {
		err = resp.Header.Write(down)
	}
	if err == nil {
		_, err = io.WriteString(down, "\r\n")
	}
	if err == nil {
		p.tie(down, up, f)
	}
}

// tie copies both ways until one side ends.
func (p *Proxy) tie(down net.Conn, up *rawConn, f Fault) {
	stop := context.AfterFunc(p.life(), func() { _, _ = down.Close(), up.Close() })
	defer stop()
	var g sync.WaitGroup
	g.Go(func() {
		_, _ = io.Copy(up, down)
		_ = up.CloseWrite()
	})
	from := io.Reader(up)
	if f.What == Truncated || f.What == Stalled {
		from = io.LimitReader(up, f.Bytes)
	}
	_, _ = io.Copy(down, from)
	if f.What == Stalled {
		_, _ = io.Copy(io.Discard, up) // the engine can go on
		g.Wait()                       // until the client gives up
	}
	_, _ = down.Close(), up.Close()
	g.Wait()
}

// life ends with the proxy.
func (p *Proxy) life() context.Context { return closedContext{p.closed} }

// rawConn is a connection to the engine of which a part has been read ahead.
type rawConn struct {
	net.Conn
	r *bufio.Reader
}

// Read implements io.Reader.
func (c *rawConn) Read(b []byte) (int, error) { return c.r.Read(b) } //nolint:wrapcheck // handed on

// CloseWrite ends the connection in one direction.
func (c *rawConn) CloseWrite() error {
	if u, ok := c.Conn.(*net.UnixConn); ok {
		return u.CloseWrite() //nolint:wrapcheck // handed on
	}
	return nil
}

// open sends an upgrade to the engine and reads the head of its answer.
func (p *Proxy) open(r *http.Request, kind Kind, body []byte) (*rawConn, *http.Response, error) {
	up, err := p.dial(r.Context())
	if err != nil {
		return nil, nil, err
	}
	p.pass(kind)
	req := r.Clone(r.Context())
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	c := &rawConn{Conn: up, r: bufio.NewReader(up)}
	err = req.Write(up)
	if err == nil {
		var resp *http.Response
		if resp, err = http.ReadResponse(c.r, req); err == nil {
			return c, resp, nil
		}
	}
	_ = up.Close()
	return nil, nil, fmt.Errorf("open a raw connection: %w", err)
}
