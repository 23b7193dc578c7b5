// Package netlimit bounds how many connections of a listener are open at a time.
package netlimit

import (
	"net"
	"sync"
)

// limited bounds how many connections are open at a time; further ones wait in the kernel's queue.
type limited struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

// Listen wraps a listener.
func Listen(ln net.Listener, n int) net.Listener {
	return &limited{Listener: ln, slots: make(chan struct{}, n), done: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err //nolint:wrapcheck // net/http asks its kind
	}
	return &counted{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close() //nolint:wrapcheck // net/http asks its kind
}

type counted struct {
	net.Conn
	free func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.free()
	return c.Conn.Close() //nolint:wrapcheck // net/http asks its kind
}
