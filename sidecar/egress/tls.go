package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

const helloLimit = 20 * time.Second // for what a connection is for

// sort looks whether a connection speaks TLS, which is forwarded by the name in its first message, or HTTP, which is by each request's Host.
func (g *Gateway) sort(c net.Conn, web *sorted) {
	_ = c.SetReadDeadline(time.Now().Add(helloLimit))
	r := bufio.NewReaderSize(c, 4<<10)
	first, err := r.Peek(1)
	if err != nil {
		_ = c.Close()
		return
	}
	if first[0] != 0x16 { // no TLS handshake
		_ = c.SetReadDeadline(time.Time{})
		web.give(&peeked{Conn: c, r: r})
		return
	}
	defer c.Close()
	g.tls(c, r)
}

// tls forwards a connection to the host that it asks for, on the port that it came to. What is in it stays between the two.
func (g *Gateway) tls(c net.Conn, r *bufio.Reader) {
	name, policy := g.policy()
	line := Line{From: g.who(g.ctx, c.RemoteAddr()), Policy: name, How: "tls", Port: portOf(c.LocalAddr())}
	hello, seen, err := serverName(g.ctx, r)
	line.Host = hello
	switch {
	case err != nil || hello == "":
		line.Error = "the connection does not say for which host it is"
		g.note(line)
		return
	case !policy.Name(hello):
		line.Error = "not an allowed host"
		g.note(line)
		return
	}
	forget, ok := g.track(c, name)
	defer forget()
	if !ok {
		return
	}
	out, err := g.dial(g.ctx, hello, line.Port)
	line.Allowed = true
	if err != nil {
		line.Error = err.Error()
		g.note(line)
		return
	}
	defer out.Close()
	g.note(line)
	_ = c.SetReadDeadline(time.Time{})
	splice(&peeked{Conn: c, r: bufio.NewReader(io.MultiReader(bytes.NewReader(seen), r))}, out)
}

var errSeen = errors.New("seen")

// serverName reads the first message of a TLS connection and returns the name in it, and all bytes that it took.
func serverName(ctx context.Context, r io.Reader) (string, []byte, error) {
	var seen bytes.Buffer
	var name string
	conn := tls.Server(readOnly{io.TeeReader(r, &seen)}, &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name = h.ServerName
		return nil, errSeen
	}})
	err := conn.HandshakeContext(ctx)
	if errors.Is(err, errSeen) {
		return strings.ToLower(strings.TrimSuffix(name, ".")), seen.Bytes(), nil
	}
	return "", seen.Bytes(), err
}

// readOnly is a connection on which nothing is written.
type readOnly struct{ r io.Reader }

func (c readOnly) Read(p []byte) (int, error)       { return c.r.Read(p) } //nolint:wrapcheck // handed on
func (c readOnly) Write([]byte) (int, error)        { return 0, io.ErrClosedPipe }
func (c readOnly) Close() error                     { return nil }
func (c readOnly) LocalAddr() net.Addr              { return nil }
func (c readOnly) RemoteAddr() net.Addr             { return nil }
func (c readOnly) SetDeadline(time.Time) error      { return nil }
func (c readOnly) SetReadDeadline(time.Time) error  { return nil }
func (c readOnly) SetWriteDeadline(time.Time) error { return nil }
