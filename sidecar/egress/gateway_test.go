package egress_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/seatrial/seatrial/sidecar/egress"
)

// The gateway is tried as a whole: what one policy lets through in each protocol, with the same small network around it.

func equalFold(a, b string) bool { return strings.EqualFold(strings.TrimSuffix(a, "."), b) }

// locked is a log that may be read while it is written.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// lines are those of the log.
func (l *locked) lines(t *testing.T) []egress.Line {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []egress.Line
	for line := range strings.Lines(l.b.String()) {
		var e egress.Line
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// world is a gateway on the loopback, with a web server and a TLS server outside.
type world struct {
	log               *locked
	socket            string
	dns, plain, proxy string
	secure            string // the address for TLS
}

func newWorld(t *testing.T, policies map[string]egress.Policy, start string) (*world, *httptest.Server, *httptest.Server) {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "web %s %s", r.Host, r.URL.Path) }))
	t.Cleanup(web.Close)
	safe := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "safe %s", r.Host) }))
	t.Cleanup(safe.Close)
	port := func(u string) string {
		p, err := url.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		return p.Port()
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &world{log: &locked{}, socket: filepath.Join(t.TempDir(), "s")}
	conf := egress.Config{Policies: policies, Start: start, Names: []string{"localhost"},
		Hosts: map[string]string{"ok.example": "127.0.0.1", "bad.example": "127.0.0.1", "sub.wild.example": "127.0.0.1"}}
	g, err := egress.New(ctx, conf, netip.MustParseAddr("127.0.0.2"), w.log)
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	listen := func(addr string) net.Listener {
		t.Helper()
		l, err := lc.Listen(ctx, "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	// The gateway forwards to the port that it was connected to, so it listens on the servers' own ports, at another address.
	l := egress.Listeners{DNSTCP: listen("127.0.0.2:0"), Proxy: listen("127.0.0.2:0"), Plain: []net.Listener{listen("127.0.0.2:" + port(web.URL)), listen("127.0.0.2:" + port(safe.URL))}}
	if l.DNS, err = lc.ListenPacket(ctx, "udp", "127.0.0.2:0"); err != nil {
		t.Fatal(err)
	}
	if l.Control, err = lc.Listen(ctx, "unix", w.socket); err != nil {
		t.Fatal(err)
	}
	w.dns, w.proxy, w.plain, w.secure = l.DNS.LocalAddr().String(), l.Proxy.Addr().String(), l.Plain[0].Addr().String(), l.Plain[1].Addr().String()
	done := make(chan struct{})
	go func() { defer close(done); _ = g.Serve(l) }()
	t.Cleanup(func() { cancel(); <-done })
	return w, web, safe
}

// loop lets the tests' servers, which are on the loopback, be reached: names that lead there are refused otherwise.
var loop = []string{"127.0.0.1"}

func hosts(h ...string) egress.Policy { return egress.Policy{Hosts: append(h, loop...)} }

func TestHTTPGoesToAllowedHostsOnly(t *testing.T) {
	w, _, _ := newWorld(t, map[string]egress.Policy{"p": hosts("ok.example", "*.wild.example")}, "p")
	get := func(host string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+w.plain+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	if code, body := get("ok.example"); code != 200 || body != "web ok.example /x" {
		t.Errorf("%d %s", code, body)
	}
	if code, body := get("sub.wild.example"); code != 200 {
		t.Errorf("%d %s", code, body)
	}
	for _, host := range []string{"bad.example", "wild.example", "ok.example.bad.example", "192.0.2.1", "ok.example:1"} {
		if code, body := get(host); code != 403 || !strings.Contains(body, "seatrial: ") {
			t.Errorf("%s: %d %s", host, code, body)
		}
	}
	var refused int
	for _, l := range w.log.lines(t) {
		if !l.Allowed {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d refusals in the log: %+v", refused, w.log.lines(t))
	}
}

func TestTLSGoesByTheNameItIsFor(t *testing.T) {
	w, _, _ := newWorld(t, map[string]egress.Policy{"p": hosts("ok.example")}, "p")
	try := func(name string) (string, error) {
		c, err := net.DialTimeout("tcp", w.secure, 5*time.Second)
		if err != nil {
			return "", err
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		tc := tls.Client(c, &tls.Config{ServerName: name, InsecureSkipVerify: true}) //nolint:gosec // the test's own server
		if err := tc.HandshakeContext(t.Context()); err != nil {
			return "", err
		}
		_, _ = io.WriteString(tc, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(tc), nil)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	if body, err := try("ok.example"); err != nil || body != "safe h" {
		t.Errorf("%q, %v", body, err)
	}
	for _, name := range []string{"bad.example", ""} {
		if body, err := try(name); err == nil {
			t.Errorf("%q came through: %q", name, body)
		}
	}
}

func TestConnectTakesAllowedAddressesAndPorts(t *testing.T) {
	w, web, _ := newWorld(t, map[string]egress.Policy{"p": {Hosts: []string{"127.0.0.0/29"}}}, "p")
	via := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: w.proxy})}}
	for target, want := range map[string]int{web.URL: 200, strings.Replace(web.URL, "127.0.0.1", "127.0.0.100", 1): 403} {
		res, err := via.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d", target, res.StatusCode)
		}
	}
	connect := func(target string) string {
		t.Helper()
		c, err := net.DialTimeout("tcp", w.proxy, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if line := connect(strings.TrimPrefix(web.URL, "http://")); !strings.Contains(line, "200") {
		t.Error(line)
	}
	for _, target := range []string{"192.0.2.1:22", "bad.example:443", "x"} {
		if line := connect(target); !strings.Contains(line, "403") {
			t.Errorf("%s: %s", target, line)
		}
	}
}

func ask(t *testing.T, server, name string, kind dnsmessage.Type) dnsmessage.Message {
	t.Helper()
	q := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name + "."), Type: kind, Class: dnsmessage.ClassINET}}}
	out, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("udp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write(out); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 2048)
	n, err := c.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(buf[:n]); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNamesAreAnsweredForAllowedHostsOnly(t *testing.T) {
	w, _, _ := newWorld(t, map[string]egress.Policy{"p": hosts("ok.example", "*.wild.example"), "none": {}}, "p")
	for name, want := range map[string]dnsmessage.RCode{
		"ok.example": dnsmessage.RCodeSuccess, "OK.example": dnsmessage.RCodeSuccess, "x.wild.example": dnsmessage.RCodeSuccess, "bad.example": dnsmessage.RCodeRefused,
		"secret-data.bad.example": dnsmessage.RCodeRefused, "wild.example": dnsmessage.RCodeRefused,
	} {
		m := ask(t, w.dns, name, dnsmessage.TypeA)
		if m.RCode != want {
			t.Errorf("%s: %v", name, m.RCode)
		}
		if want == dnsmessage.RCodeSuccess {
			if len(m.Answers) != 1 || m.Answers[0].Body.(*dnsmessage.AResource).A != [4]byte{127, 0, 0, 2} {
				t.Errorf("%s: %+v", name, m.Answers)
			}
		}
	}
	for _, kind := range []dnsmessage.Type{dnsmessage.TypeAAAA, dnsmessage.TypeTXT, dnsmessage.TypeMX} {
		if m := ask(t, w.dns, "ok.example", kind); m.RCode != dnsmessage.RCodeSuccess || len(m.Answers) != 0 {
			t.Errorf("%v: %v %v", kind, m.RCode, m.Answers)
		}
	}
	if err := egress.Ask(t.Context(), w.socket, "none"); err != nil {
		t.Fatal(err)
	}
	if m := ask(t, w.dns, "ok.example", dnsmessage.TypeA); m.RCode != dnsmessage.RCodeRefused {
		t.Errorf("a phase that allows nothing answers: %v", m.RCode)
	}
	if err := egress.Ask(t.Context(), w.socket, "nonsense"); err == nil {
		t.Error("there is no such policy")
	}
}

// What was connected under one policy does not outlive it.
func TestAChangeOfPolicyEndsConnections(t *testing.T) {
	w, _, safe := newWorld(t, map[string]egress.Policy{"p": hosts("ok.example"), "none": {}}, "p")
	c, err := net.Dial("tcp", w.proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	u, _ := url.Parse(safe.URL)
	fmt.Fprintf(c, "CONNECT ok.example:%s HTTP/1.1\r\n\r\n", u.Port())
	r := bufio.NewReader(c)
	if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatal(line, err)
	}
	if err := egress.Ask(t.Context(), w.socket, "none"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.Copy(io.Discard, r); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection is still open")
	}
}

// FuzzAnswer: whatever an agent sends as a question, the gateway lives on and asks nobody.
func FuzzAnswer(f *testing.F) {
	q := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("x.example."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	seed, err := q.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{})
	g, err := egress.New(f.Context(), egress.Config{Policies: map[string]egress.Policy{"p": {}}, Start: "p"}, netip.MustParseAddr("127.0.0.2"), io.Discard)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := egress.Answer(t.Context(), g, data)
		if out == nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(out); err != nil {
			t.Fatalf("%x: %v", out, err)
		}
		if len(m.Answers) > 0 {
			t.Errorf("an answer where nothing is allowed: %v", m.Answers)
		}
	})
}
