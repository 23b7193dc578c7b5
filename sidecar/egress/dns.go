package egress

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers questions for names. It asks nobody for a name that is not allowed, so that a question carries nothing out; for one that is, the
// answer is the gateway itself, which looks the name up only when it is connected to.
type names struct {
	g *Gateway
}

const (
	dnsTTL   = 5 // seconds: policies change
	dnsLimit = 10 * time.Second
)

func (n *names) udp(conn net.PacketConn) error {
	buf := make([]byte, 4096)
	for {
		k, from, err := conn.ReadFrom(buf)
		if err != nil {
			return err //nolint:wrapcheck // the caller says what it served
		}
		select {
		case n.g.dns <- struct{}{}:
		default:
			continue // whoever asks so much asks again
		}
		msg := append([]byte(nil), buf[:k]...)
		n.g.spawn(func() {
			defer func() { <-n.g.dns }()
			ctx, cancel := context.WithTimeout(n.g.ctx, dnsLimit)
			defer cancel()
			if out := n.answer(ctx, msg, from, conn.LocalAddr()); out != nil {
				_, _ = conn.WriteTo(out, from)
			}
		})
	}
}

func (n *names) tcp(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(dnsLimit))
	var size [2]byte
	for {
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		msg := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, msg); err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(n.g.ctx, dnsLimit)
		out := n.answer(ctx, msg, c.RemoteAddr(), c.LocalAddr())
		cancel()
		if out == nil {
			return
		}
		binary.BigEndian.PutUint16(size[:], uint16(len(out))) //nolint:gosec // one message
		if _, err := c.Write(append(size[:], out...)); err != nil {
			return
		}
	}
}

// answer is the reply to a message, or nil for one that is no question.
func (n *names) answer(ctx context.Context, msg []byte, from, to net.Addr) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(msg)
	if err != nil || h.Response {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	reply := dnsmessage.Header{ID: h.ID, Response: true, OpCode: h.OpCode, RecursionDesired: h.RecursionDesired, RecursionAvailable: true}
	addrs, code := n.look(ctx, q, from, to)
	reply.RCode = code
	b := dnsmessage.NewBuilder(nil, reply)
	b.EnableCompression()
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil {
		return nil
	}
	for _, a := range addrs {
		rh := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: dnsTTL}
		if a.Is4() {
			err = b.AResource(rh, dnsmessage.AResource{A: a.As4()})
		} else {
			err = b.AAAAResource(rh, dnsmessage.AAAAResource{AAAA: a.As16()})
		}
		if err != nil {
			return nil
		}
	}
	out, err := b.Finish()
	if err != nil {
		return nil
	}
	return out
}

// look finds the addresses that a question is answered with.
func (n *names) look(ctx context.Context, q dnsmessage.Question, from, to net.Addr) ([]netip.Addr, dnsmessage.RCode) {
	host := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	name, policy := n.g.policy()
	wants4 := q.Type == dnsmessage.TypeA && q.Class == dnsmessage.ClassINET
	if n.g.inStack(host) {
		if !wants4 {
			return nil, dnsmessage.RCodeSuccess
		}
		addrs, err := n.g.resolver.LookupNetIP(ctx, "ip4", host)
		if err != nil {
			return nil, dnsmessage.RCodeNameError
		}
		return unmapped(addrs), dnsmessage.RCodeSuccess
	}
	if !policy.Name(host) {
		n.g.note(Line{From: n.g.who(ctx, from), Policy: name, How: "dns", Host: host, Error: "not an allowed host"})
		return nil, dnsmessage.RCodeRefused
	}
	switch {
	case policy.Open && (wants4 || q.Type == dnsmessage.TypeAAAA):
		if !wants4 {
			return nil, dnsmessage.RCodeSuccess // the networks of a trial have no IPv6
		}
		addrs, err := n.g.lookup(ctx, host)
		if err != nil {
			return nil, dnsmessage.RCodeNameError
		}
		return addrs, dnsmessage.RCodeSuccess
	case wants4:
		if own, err := netip.ParseAddrPort(to.String()); err == nil && own.Addr().Unmap().Is4() && !own.Addr().IsUnspecified() {
			return []netip.Addr{own.Addr().Unmap()}, dnsmessage.RCodeSuccess
		}
		return n.g.own(), dnsmessage.RCodeSuccess
	}
	return nil, dnsmessage.RCodeSuccess
}

func unmapped(addrs []netip.Addr) []netip.Addr {
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs
}
