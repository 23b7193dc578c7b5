package egress

import (
	"bufio"
	"net"
	"sync"
	"time"
)

const idleLimit = 30 * time.Minute // without a byte in either direction

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
