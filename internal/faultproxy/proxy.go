// Package faultproxy is a proxy in front of a container engine that does to chosen requests what networks, loaded engines and crashes do to them. It is
// for tests.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// Proxy passes requests on to an engine. It is safe for concurrent use.
type Proxy struct {
	socket, engine string
	server         *http.Server
	forward        *httputil.ReverseProxy
	direct         *http.Transport
	closed         chan struct{}
	once           sync.Once

	mu     sync.Mutex
	rules  []Rule
	seen   map[Kind]int // all requests
	passed map[Kind]int // those that the engine got, each time it did
	struck int
}

// New listens on the unix socket at path for an engine at the unix socket engine. Close ends it.
func New(path, engine string, rules ...Rule) (*Proxy, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for the engine's clients: %w", err)
	}
	p := &Proxy{socket: path, engine: strings.TrimPrefix(engine, "unix://"), closed: make(chan struct{}), rules: rules, seen: map[Kind]int{}, passed: map[Kind]int{}}
	p.direct = &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) }}
	p.forward = &httputil.ReverseProxy{Transport: p.direct, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "engine"}) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	p.server = &http.Server{Handler: p, ErrorLog: p.forward.ErrorLog} //nolint:gosec // a client that is slow is no danger to a test
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// Address is the proxy's address as DOCKER_HOST takes it.
func (p *Proxy) Address() string { return "unix://" + p.socket }

// Rules replaces the rules. Requests are counted on.
func (p *Proxy) Rules(rules ...Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
}

// Seen counts the requests by kind.
func (p *Proxy) Seen() map[Kind]int { return p.counts(p.seen) }

// Passed counts what the engine was asked, by kind.
func (p *Proxy) Passed() map[Kind]int { return p.counts(p.passed) }

// Struck counts the faults.
func (p *Proxy) Struck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

func (p *Proxy) counts(from map[Kind]int) map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(from)
}

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() error {
	var err error
	p.once.Do(func() {
		close(p.closed)
		err = p.server.Close()
		p.direct.CloseIdleConnections()
	})
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the proxy: %w", err)
	}
	return nil
}

func (p *Proxy) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", p.engine) //nolint:wrapcheck // handed on
}

// fate counts a request and says what happens to it.
func (p *Proxy) fate(kind Kind) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[kind]++
	for _, r := range p.rules {
		n := p.seen[kind]
		if r.Kind == "" {
			n = 0
			for _, c := range p.seen {
				n += c
			}
		}
		if r.hits(kind, n) {
			p.struck++
			return r.Fault
		}
	}
	return Fault{}
}

func (p *Proxy) pass(kind Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed[kind]++
}
