package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seatrial/seatrial/internal/netlimit"
)

// Gateway is one trial's.
type Gateway struct {
	conf     Config
	log      *journal
	resolver *net.Resolver
	ctx      context.Context //nolint:containedctx // of the whole gateway's life
	inside   netip.Addr      // where the trial's containers reach it

	nets []netip.Prefix // networks that the gateway itself is in
	dns  chan struct{}  // a place each for questions under way

	mu      sync.Mutex
	current string
	peers   map[string]string // address -> service
	cut     map[net.Conn]string
	wg      sync.WaitGroup
}

// New makes a gateway that is reached at the address inside, and writes its log to w.
func New(ctx context.Context, conf Config, inside netip.Addr, w io.Writer) (*Gateway, error) {
	if _, ok := conf.Policies[conf.Start]; !ok {
		return nil, fmt.Errorf("there is no policy %q to start with", conf.Start)
	}
	nets, err := interfaces()
	if err != nil {
		return nil, err
	}
	return &Gateway{nets: nets, dns: make(chan struct{}, maxQuestions), conf: conf, log: newJournal(w), resolver: net.DefaultResolver, ctx: ctx, inside: inside, current: conf.Start, peers: map[string]string{}, cut: map[net.Conn]string{}}, nil
}

// How much is done at a time. An agent may ask and connect without end; what is more has to wait, or is not answered.
const (
	maxQuestions = 256
	maxConns     = 512 // of each listener
)

// interfaces are the networks that this machine is in.
func interfaces() ([]netip.Prefix, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("the gateway's own networks: %w", err)
	}
	var out []netip.Prefix
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out, nil
}

// Use makes a policy the one that holds, and ends the connections that were made under another.
func (g *Gateway) Use(name string) error {
	if _, ok := g.conf.Policies[name]; !ok {
		return fmt.Errorf("there is no policy %q", name)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = name
	for c, under := range g.cut {
		if under != name {
			_ = c.Close()
		}
	}
	return nil
}

func (g *Gateway) policy() (string, Policy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.current, g.conf.Policies[g.current]
}

// track keeps a connection to be ended with its policy; the function that it returns forgets it.
func (g *Gateway) track(c net.Conn, policy string) (func(), bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != policy {
		return func() {}, false
	}
	g.cut[c] = policy
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.cut, c)
	}, true
}

func (g *Gateway) inStack(host string) bool {
	return slices.ContainsFunc(g.conf.Names, func(n string) bool { return strings.EqualFold(n, host) })
}

func (g *Gateway) note(l Line) {
	l.Time = time.Now().UTC()
	g.log.add(l)
}

// who names the service that an address belongs to.
func (g *Gateway) who(ctx context.Context, addr net.Addr) string {
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		host = addr.String()
	}
	g.mu.Lock()
	name, known := g.peers[host]
	g.mu.Unlock()
	if known {
		return name
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, n := range g.conf.Names {
		addrs, err := g.resolver.LookupNetIP(ctx, "ip4", n)
		if err != nil {
			continue
		}
		g.mu.Lock()
		for _, a := range addrs {
			g.peers[a.Unmap().String()] = n
		}
		g.mu.Unlock()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if name, known = g.peers[host]; known {
		return name
	}
	if len(g.peers) < maxQuestions {
		g.peers[host] = host // nobody of the stack's
	}
	return host
}

func (g *Gateway) own() []netip.Addr {
	if g.inside.IsValid() {
		return []netip.Addr{g.inside}
	}
	return nil
}

// lookup finds the addresses of a name outside.
func (g *Gateway) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	if text, ok := g.conf.Hosts[host]; ok {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("address of %s: %w", host, err)
		}
		return []netip.Addr{a}, nil
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip4", host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	return unmapped(addrs), nil
}

var errLoop = errors.New("the name leads to the trial's own network, or to the gateway itself")

// dial connects to an allowed host. A name that leads to the gateway itself, to its own machine or to a link's addresses is not followed: whoever owns the
// name could choose what is reached there.
func (g *Gateway) dial(ctx context.Context, host string, port int) (net.Conn, error) {
	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	_, policy := g.policy()
	_, given := g.conf.Hosts[host]
	last := errLoop
	for _, a := range addrs {
		named := policy.Address(a) && !policy.Open
		if !named && (g.near(a) || a.IsPrivate() && !given && policy.wild(host)) {
			continue
		}
		d := net.Dialer{Timeout: 15 * time.Second}
		c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), strconv.Itoa(port)))
		if err == nil {
			return c, nil
		}
		last = err
	}
	return nil, fmt.Errorf("connect to %s: %w", host, last)
}

// near says whether an address is the gateway's own machine's, or in a network that it is in itself.
func (g *Gateway) near(a netip.Addr) bool {
	return a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast() || a == g.inside ||
		slices.ContainsFunc(g.nets, func(p netip.Prefix) bool { return p.Contains(a) })
}

func (g *Gateway) spawn(fn func()) { g.wg.Go(fn) }

// Listeners are what a gateway serves.
type Listeners struct {
	DNS    net.PacketConn
	DNSTCP net.Listener
	Plain  []net.Listener // TLS and HTTP by name
	Proxy  net.Listener   // CONNECT, and HTTP with whole addresses
	// Control takes "POST /use?policy=NAME"; it must be out of the trial's reach.
	Control net.Listener
}

// Serve serves until the gateway's context ends.
func (g *Gateway) Serve(l Listeners) error {
	l.DNSTCP, l.Proxy = netlimit.Listen(l.DNSTCP, maxConns), netlimit.Listen(l.Proxy, maxConns)
	for i, p := range l.Plain {
		l.Plain[i] = netlimit.Listen(p, maxConns)
	}
	n := &names{g: g}
	web := &http.Server{Handler: http.HandlerFunc(g.web), ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	proxy := &http.Server{Handler: http.HandlerFunc(g.proxy), ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	control := &http.Server{Handler: http.HandlerFunc(g.control), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 8+len(l.Plain))
	serve := func(what string, fn func() error) { g.spawn(func() { failed <- fmt.Errorf("%s: %w", what, fn()) }) }
	serve("names", func() error { return n.udp(l.DNS) })
	serve("names", func() error { return g.each(l.DNSTCP, n.tcp) })
	sorted := newSorted()
	for _, p := range l.Plain {
		serve("hosts", func() error { return g.each(p, func(c net.Conn) { g.sort(c, sorted) }) })
	}
	serve("http", func() error { return web.Serve(sorted) })
	serve("proxy", func() error { return proxy.Serve(l.Proxy) })
	if l.Control != nil {
		serve("control", func() error { return control.Serve(l.Control) })
	}
	var err error
	select {
	case err = <-failed:
	case <-g.ctx.Done():
	}
	_ = l.DNS.Close()
	for _, c := range append([]net.Listener{l.DNSTCP, l.Proxy, sorted}, l.Plain...) {
		_ = c.Close()
	}
	_, _, _ = web.Close(), proxy.Close(), control.Close()
	return err
}

// each takes connections until the listener is closed. That one cannot be taken ends nothing.
func (g *Gateway) each(l net.Listener, fn func(net.Conn)) error {
	for {
		c, err := l.Accept()
		if err == nil {
			g.spawn(func() { fn(c) })
			continue
		}
		if errors.Is(err, net.ErrClosed) || g.ctx.Err() != nil {
			return err //nolint:wrapcheck // the caller says what it served
		}
		t := time.NewTimer(10 * time.Millisecond)
		<-t.C
	}
}
