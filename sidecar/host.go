package sidecar

import (
	"crypto/tls"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/docker/cli/cli/connhelper"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/tlsconfig"
)

// Host is the address of an engine and the way to it. Paths in it are absolute, so that a process in another folder can use it.
type Host struct {
	// Address is a Docker host URL: unix://, tcp://, ssh://.
	Address string
	// Source says who chose it: "DOCKER_HOST", "context NAME" or "default".
	Source string
	// CA, Cert and Key are PEM files for TLS; all empty and SkipVerify unset = no TLS. Cert and Key may be empty: then no client certificate is shown.
	CA, Cert, Key string
	// SkipVerify leaves the engine's certificate unchecked, as a context may ask for.
	SkipVerify bool
	// Pool is the IPv4 network that subnets for trials are taken from; empty = 10.189.0.0/16.
	Pool string
	// CallLimit is how long the engine may at most be silent on one request; 0 = each kind's own limit.
	CallLimit time.Duration
}

// Local says whether the engine is reached through a socket of this machine.
func (h Host) Local() bool { return strings.HasPrefix(h.Address, unixScheme) }

// TLS says whether the connection is encrypted with TLS.
func (h Host) TLS() bool { return h.CA != "" || h.Cert != "" || h.SkipVerify }

// clientOptions makes the options of the engine's client, and the HTTP client among them. The engine's client must see the plain transport: only
// then do its raw connections (exec, BuildKit) take the same way, through TLS or ssh.
func (h Host) clientOptions() ([]client.Opt, *http.Client, error) {
	fail := func(reason string, err error) ([]client.Opt, *http.Client, error) {
		return nil, nil, &UnusableError{Host: h.Address, Source: h.Source, Reason: reason, Cause: err}
	}
	tr := &http.Transport{MaxIdleConns: 64, MaxIdleConnsPerHost: 64, IdleConnTimeout: 0, DisableCompression: true}
	hc := &http.Client{Transport: tr, CheckRedirect: client.CheckRedirect}
	if strings.HasPrefix(h.Address, sshScheme) {
		helper, err := connhelper.GetConnectionHelperWithSSHOpts(h.Address, sshFlags())
		if err != nil {
			return fail("the ssh address is not understood", err)
		}
		return []client.Opt{client.WithHTTPClient(hc), client.WithHost(helper.Host), client.WithDialContext(helper.Dialer), noProxy(tr)}, hc, nil
	}
	opts := []client.Opt{client.WithHTTPClient(hc), client.WithHost(h.Address)}
	if !h.TLS() {
		return opts, hc, nil
	}
	cfg, err := tlsconfig.Client(tlsconfig.Options{CAFile: h.CA, CertFile: h.Cert, KeyFile: h.Key, InsecureSkipVerify: h.SkipVerify, ExclusiveRootPools: h.CA != "", MinVersion: tls.VersionTLS12})
	if err != nil {
		return fail("its TLS files cannot be read", err)
	}
	tr.TLSClientConfig = cfg
	return append(opts, client.WithScheme("https")), hc, nil
}

const (
	unixScheme = "unix://"
	tcpScheme  = "tcp://"
	sshScheme  = "ssh://"
)

// sshFlags keep ssh from asking questions on the terminal, which nobody would see, and from waiting longer than the engine's first answer may take.
func sshFlags() []string { return []string{"-o BatchMode=yes", "-o ConnectTimeout=8"} }

// noProxy undoes what WithHost has set: ssh has its own way through a firewall.
func noProxy(tr *http.Transport) client.Opt {
	return func(*client.Client) error {
		tr.Proxy = nil
		return nil
	}
}

func fileExists(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.Mode().IsRegular()
}
