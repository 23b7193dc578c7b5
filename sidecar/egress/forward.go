package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	helloLimit = 20 * time.Second // for what a connection is for
	idleLimit  = 30 * time.Minute // without a byte in either direction
)

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

// splice passes bytes on in both directions until both ends are done, or nothing moves for long.
func splice(a, b net.Conn) {
	var wg sync.WaitGroup
	one := func(to, from net.Conn) {
		buf := make([]byte, 32<<10)
		for {
			_ = from.SetReadDeadline(time.Now().Add(idleLimit))
			n, err := from.Read(buf)
			if n > 0 {
				_ = to.SetWriteDeadline(time.Now().Add(idleLimit))
				if _, werr := to.Write(buf[:n]); werr != nil {
					_ = from.Close()
					return
				}
			}
			if err != nil {
				if h, ok := to.(interface{ CloseWrite() error }); ok {
					_ = h.CloseWrite()
				} else {
					_ = to.Close()
				}
				return
			}
		}
	}
	wg.Go(func() { one(a, b) })
	wg.Go(func() { one(b, a) })
	wg.Wait()
}

// web forwards a request that came to one of the plain ports.
func (g *Gateway) web(w http.ResponseWriter, r *http.Request) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	port := portOf(local)
	host := r.Host
	if h, p, err := net.SplitHostPort(r.Host); err == nil {
		host = h
		if n, err := strconv.Atoi(p); err == nil && n != port {
			g.refuse(w, r, host, n, "the Host says another port than the connection's")
			return
		}
	}
	g.forward(w, r, host, port, "http")
}

// proxy serves CONNECT, and requests with a whole address.
func (g *Gateway) proxy(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		g.connect(w, r)
		return
	}
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		g.refuse(w, r, r.Host, 0, "a proxy wants a whole address")
		return
	}
	port, err := strconv.Atoi(r.URL.Port())
	if err != nil {
		port = 80
	}
	g.forward(w, r, r.URL.Hostname(), port, "http")
}

func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, host string, port int, how string) {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	name, policy := g.policy()
	if !policy.Name(host) {
		g.refuse(w, r, host, port, "not an allowed host")
		return
	}
	line := Line{From: g.who(r.Context(), addrOf(r)), Policy: name, How: how, Host: host, Port: port, Allowed: true}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, ResponseHeaderTimeout: idleLimit, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := g.dial(ctx, host, port)
		if err != nil {
			return nil, err
		}
		forget, ok := g.track(c, name)
		if !ok {
			_ = c.Close()
			return nil, errPolicy
		}
		return &tracked{Conn: c, forget: forget}, nil
	}}
	defer transport.CloseIdleConnections()
	rp := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = &url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: p.In.URL.Path, RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = p.In.Host
		},
		Transport: transport, FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			line.Error = err.Error()
			http.Error(w, "seatrial: "+err.Error(), http.StatusBadGateway)
		},
	}
	defer func() { g.note(line) }() // also when the client hangs up, which ends this in a panic of the server's own
	rp.ServeHTTP(w, r.WithContext(ctx))
}

// tracked is a connection that is forgotten when it is closed.
type tracked struct {
	net.Conn
	forget func()
}

// Close implements net.Conn.
func (t *tracked) Close() error {
	t.forget()
	return t.Conn.Close() //nolint:wrapcheck // handed on
}

var errPolicy = errors.New("what is allowed has changed")

// connect opens a way for any protocol to an allowed host or address.
func (g *Gateway) connect(w http.ResponseWriter, r *http.Request) {
	host, text, err := net.SplitHostPort(r.Host)
	port, perr := strconv.Atoi(text)
	if err != nil || perr != nil {
		g.refuse(w, r, r.Host, 0, "CONNECT wants a host and a port")
		return
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	name, policy := g.policy()
	if !policy.Name(host) {
		g.refuse(w, r, host, port, "not an allowed host")
		return
	}
	line := Line{From: g.who(r.Context(), addrOf(r)), Policy: name, How: "connect", Host: host, Port: port, Allowed: true}
	out, err := g.dial(r.Context(), host, port)
	if err != nil {
		line.Error = err.Error()
		g.note(line)
		http.Error(w, "seatrial: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer out.Close()
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	c, buf, err := h.Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	forget, ok := g.track(c, name)
	defer forget()
	if !ok {
		return
	}
	g.note(line)
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	splice(&peeked{Conn: c, r: buf.Reader}, out)
}

func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, host string, port int, why string) {
	name, _ := g.policy()
	how := "http"
	if r.Method == http.MethodConnect {
		how = "connect"
	}
	g.note(Line{From: g.who(r.Context(), addrOf(r)), Policy: name, How: how, Host: host, Port: port, Error: why})
	w.Header().Set("Connection", "close")
	http.Error(w, "seatrial: "+host+": "+why, http.StatusForbidden)
}

func addrOf(r *http.Request) net.Addr {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return &net.TCPAddr{}
	}
	return net.TCPAddrFromAddrPort(a)
}

func portOf(a net.Addr) int {
	if t, ok := a.(*net.TCPAddr); ok {
		return t.Port
	}
	return 0
}

// peeked is a connection of which some bytes have been read.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.r.Read(b) } //nolint:wrapcheck // handed on

// CloseWrite tells the other end that nothing more comes.
func (p *peeked) CloseWrite() error {
	if h, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return p.Close() //nolint:wrapcheck // handed on
}

// sorted is a listener of connections that were found to speak HTTP.
type sorted struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newSorted() *sorted { return &sorted{conns: make(chan net.Conn), done: make(chan struct{})} }

func (s *sorted) give(c net.Conn) {
	select {
	case s.conns <- c:
	case <-s.done:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (s *sorted) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *sorted) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// Addr implements net.Listener.
func (s *sorted) Addr() net.Addr { return &net.TCPAddr{} }
