package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// behindTLS puts the engine behind a TLS port that wants a client certificate, and returns the port's address and a folder with the files for it.
func behindTLS(t *testing.T) (address, certs string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// One certificate is the authority, the engine's and ours: what matters here is the way, not the trust.
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certs = t.TempDir()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(certs, "ca.pem"), public)
	write(t, filepath.Join(certs, "cert.pem"), public)
	write(t, filepath.Join(certs, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	l, err := tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	socket := strings.TrimPrefix(shared.engine.DaemonHost(), "unix://")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go pass(c, socket)
		}
	}()
	return "tcp://" + l.Addr().String(), certs
}

// pass hands a connection on to a socket, each direction to its own end.
func pass(c net.Conn, socket string) {
	defer c.Close()
	e, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer e.Close()
	go func() {
		_, _ = io.Copy(e, c)
		_ = e.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(c, e)
	_ = c.(*tls.Conn).CloseWrite()
}

func TestAnEngineBehindTLS(t *testing.T) {
	t.Parallel()
	need(t)
	if !strings.HasPrefix(shared.engine.DaemonHost(), "unix://") {
		t.Skip("the engine of these tests is not at a socket")
	}
	address, certs := behindTLS(t)
	env := []string{"DOCKER_HOST=" + address, "DOCKER_TLS_VERIFY=1", "DOCKER_CERT_PATH=" + certs}
	for _, name := range []string{"hello", "sidecar"} {
		r := begin(t, env, "--force-build", demo(t, name)).end()
		expect(t, r, outcome{score: 1})
		if got := r.record.Environment.Host; got != address {
			t.Errorf("the engine is %q, want %q", got, address)
		}
		clean(t, r.id)
	}
	code, out, errs := seatrial(t, env, "doctor", "--runs-dir", t.TempDir())
	if code != 0 || !strings.Contains(out, address) {
		t.Errorf("doctor: exit code %d\n%s%s", code, out, errs)
	}
}
