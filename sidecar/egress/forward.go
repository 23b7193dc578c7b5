package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

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
