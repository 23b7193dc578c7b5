package sidecar

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/docker/cli/cli/connhelper"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/sockets"
	"github.com/docker/go-connections/tlsconfig"
)

// Host is the address of an engine.
type Host struct {
	// Address is a Docker host URL: unix://, tcp://, ssh://.
	Address string
	// Source says who chose it: "DOCKER_HOST", "context NAME", "default".
	Source string
	// CA, Cert and Key are PEM files for TLS; all empty = no TLS.
	CA, Cert, Key string
	// SkipVerify leaves the engine's certificate unchecked, as a context may ask for.
	SkipVerify bool
	// Pool is the IPv4 network that subnets for trials are taken from; empty = 10.189.0.0/16.
	Pool string
}

// Local says whether the engine is reached through a socket of this machine.
func (h Host) Local() bool { return strings.HasPrefix(h.Address, "unix://") }

// TLS says whether the connection is encrypted with TLS.
func (h Host) TLS() bool { return h.CA != "" || h.Cert != "" || h.SkipVerify }

// clientOptions makes the client's options; every request is counted in n.
func (h Host) clientOptions(n *atomic.Int64) ([]client.Opt, error) {
	unusable := func(reason string, err error) error {
		return &UnusableError{Host: h.Address, Source: h.Source, Reason: reason, Cause: err}
	}
	tr := &http.Transport{MaxIdleConns: 64, MaxIdleConnsPerHost: 64, IdleConnTimeout: 0, DisableCompression: true}
	hc := &http.Client{Transport: counter{next: tr, n: n}, CheckRedirect: client.CheckRedirect}
	if strings.HasPrefix(h.Address, "ssh://") {
		helper, err := connhelper.GetConnectionHelper(h.Address)
		if err != nil {
			return nil, unusable("the ssh address is not understood", err)
		}
		tr.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return helper.Dialer(ctx, "", "") }
		return []client.Opt{client.WithHTTPClient(hc), client.WithHost(helper.Host), client.WithDialContext(helper.Dialer)}, nil
	}
	u, err := client.ParseHostURL(h.Address)
	if err != nil {
		return nil, unusable("the address is not understood", err)
	}
	if err := sockets.ConfigureTransport(tr, u.Scheme, u.Host); err != nil {
		return nil, unusable("the address is not understood", err)
	}
	opts := []client.Opt{client.WithHost(h.Address), client.WithHTTPClient(hc)}
	if !h.TLS() {
		return opts, nil
	}
	cfg, err := tlsconfig.Client(tlsconfig.Options{CAFile: h.CA, CertFile: h.Cert, KeyFile: h.Key, InsecureSkipVerify: h.SkipVerify, ExclusiveRootPools: h.CA != "", MinVersion: tls.VersionTLS12})
	if err != nil {
		return nil, unusable("its TLS files cannot be read", err)
	}
	tr.TLSClientConfig = cfg
	return append(opts, client.WithScheme("https")), nil
}

func fileExists(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.Mode().IsRegular()
}
