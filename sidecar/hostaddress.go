package sidecar

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/docker/docker/client"
)

// Ports that engines listen on by convention, without and with TLS.
const (
	plainPort = "2375"
	tlsPort   = "2376"
)

// settled gives the address its full form, as the docker client reads it: no scheme means tcp, no port the usual one, no socket the default one.
// Paths become absolute. TLS is for tcp alone.
func (h Host) settled() (Host, error) {
	if !strings.Contains(h.Address, "://") {
		h.Address = tcpScheme + h.Address
	}
	if !strings.HasPrefix(h.Address, tcpScheme) {
		h.CA, h.Cert, h.Key, h.SkipVerify = "", "", "", false
	}
	var err error
	switch {
	case strings.HasPrefix(h.Address, unixScheme):
		err = h.settleSocket()
	case strings.HasPrefix(h.Address, tcpScheme):
		err = h.settleTCP()
	case strings.HasPrefix(h.Address, sshScheme):
		err = h.settleSSH()
	case h.Address == client.DefaultDockerHost: // a named pipe
	default:
		err = h.misunderstood(nil)
	}
	return h, err
}

func (h *Host) misunderstood(cause error) error {
	return &UnusableError{Host: h.Address, Source: h.Source, Reason: "the address is not understood", Cause: cause,
		Hint: "write unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST"}
}

func (h *Host) settleSocket() error {
	path := strings.TrimPrefix(h.Address, unixScheme)
	if path == "" {
		h.Address = client.DefaultDockerHost
		return nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return h.misunderstood(err)
	}
	h.Address = unixScheme + abs
	return nil
}

func (h *Host) settleTCP() error {
	u, err := url.Parse(h.Address)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		h.Address = redacted(h.Address)
		return h.misunderstood(nil)
	}
	name, port := u.Hostname(), u.Port()
	if name == "" {
		name = "localhost"
	}
	if _, err := netip.ParseAddr(name); err != nil && strings.ContainsFunc(name, notInNames) {
		return h.misunderstood(nil)
	}
	if port == "" {
		port = plainPort
		if h.TLS() {
			port = tlsPort
		}
	}
	h.Address = tcpScheme + net.JoinHostPort(name, port) + u.EscapedPath()
	for _, p := range []*string{&h.CA, &h.Cert, &h.Key} {
		if *p == "" {
			continue
		}
		if *p, err = filepath.Abs(*p); err != nil {
			return h.misunderstood(err)
		}
	}
	return nil
}

// settleSSH refuses a password in the address: it would end up in records and argument lists.
func (h *Host) settleSSH() error {
	u, err := url.Parse(h.Address)
	if err != nil || u.Hostname() == "" {
		h.Address = redacted(h.Address)
		return h.misunderstood(nil)
	}
	if _, has := u.User.Password(); has {
		h.Address = redacted(h.Address)
		return &UnusableError{Host: h.Address, Source: h.Source, Reason: "it has a password in it", Hint: "let ssh use a key instead"}
	}
	return nil
}

func notInNames(r rune) bool {
	return r != '.' && r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// redacted leaves out everything before the last @, where a password may be, and what could steer a terminal.
func redacted(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "[masked]@" + rest[i+1:]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, scheme+"://"+rest)
}
