package sidecar_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

// authority signs certificates for a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{}
	a.cert, a.key = a.issue(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

func (a authority) issue(t *testing.T, want *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	want.SerialNumber, want.Subject, want.NotBefore = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: "test"}, time.Now().Add(-time.Hour)
	if want.NotAfter.IsZero() {
		want.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = want, key
	}
	der, err := x509.CreateCertificate(rand.Reader, want, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// write puts a certificate and its key into PEM files.
func write(t *testing.T, dir, certFile, keyFile string, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	t.Helper()
	put := func(name, kind string, der []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(certFile, "CERTIFICATE", cert.Raw)
	if keyFile == "" {
		return
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	put(keyFile, "PRIVATE KEY", der)
}

// server is a pretended engine behind TLS; with clients it wants certificates that they have signed.
func (a authority) server(t *testing.T, cert *x509.Certificate, clients *authority) string {
	t.Helper()
	if cert == nil {
		cert = &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	}
	c, key := a.issue(t, cert)
	s := httptest.NewUnstartedServer(sound())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{c.Raw}, PrivateKey: key}}}
	if clients != nil {
		s.TLS.ClientAuth, s.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		s.TLS.ClientCAs.AddCert(clients.cert)
	}
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "https://", "tcp://", 1)
}

// folder is what DOCKER_CERT_PATH names: ca trusts the engine, and client, if there is one, signs a certificate for us.
func folder(t *testing.T, ca authority, client *authority) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "ca.pem", "", ca.cert, nil)
	if client != nil {
		c, key := client.issue(t, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		write(t, dir, "cert.pem", "key.pem", c, key)
	}
	return dir
}

func TestEnginesBehindTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	open, closed := ours.server(t, nil, nil), ours.server(t, nil, &ours)
	elsewhere := ours.server(t, &x509.Certificate{DNSNames: []string{"engine.example"}}, nil)
	expired := ours.server(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(-time.Minute)}, nil)
	plain := httptest.NewServer(sound())
	t.Cleanup(plain.Close)
	for _, c := range []struct {
		name, address, certs string
		verify               bool
		part                 string // of the error; empty = it works
	}{
		{"a certificate that we trust", open, folder(t, ours, nil), true, ""},
		{"an engine that wants our certificate and gets it", closed, folder(t, ours, &ours), true, ""},
		{"an engine whose certificate nobody checks", open, folder(t, theirs, &ours), false, ""},
		{"no certificate where one is wanted", closed, folder(t, ours, nil), true, "it wants a client certificate"},
		{"a certificate that somebody else signed", closed, folder(t, ours, &theirs), true, "it refused our client certificate"},
		{"an engine that somebody else vouches for", open, folder(t, theirs, nil), true, "its certificate is not signed by the authority in "},
		{"a certificate for another name", elsewhere, folder(t, ours, nil), true, "its certificate is for another name"},
		{"an expired certificate", expired, folder(t, ours, nil), true, "its certificate is not valid"},
		{"an engine without TLS", strings.Replace(plain.URL, "http", "tcp", 1), folder(t, ours, nil), true, "it does not speak TLS at that port"},
		{"an engine with TLS that is asked without", open, "", false, "if it wants TLS, set DOCKER_TLS_VERIFY=1"},
		{"a folder without an authority", open, t.TempDir(), true, "its TLS files cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"DOCKER_HOST": c.address, "DOCKER_CERT_PATH": c.certs}
			if c.verify {
				env["DOCKER_TLS_VERIFY"] = "1"
			}
			works(t, env, c.part)
		})
	}
}

// works connects as an environment says and asks for everything that a run needs, a raw connection included; or it gets an error with a part.
func works(t *testing.T, env map[string]string, part string) {
	t.Helper()
	h, err := sidecar.FindHost(lookup(env))
	if err != nil {
		t.Fatal(err)
	}
	d := sidecar.Examine(t.Context(), h, sidecar.Checkup{Room: sidecar.Room{RunsDir: "."}})
	engine := d.Findings[0]
	if part != "" {
		if text := engine.Says + "; " + engine.Advice; d.Usable || !strings.Contains(strings.ToLower(text), strings.ToLower(part)) || !strings.Contains(text, h.Address) {
			t.Errorf("%q, want a part %q and the address", text, part)
		}
		return
	}
	if !d.Usable {
		t.Fatalf("%+v", d.Findings)
	}
	for _, f := range d.Findings {
		if f.ID == "buildkit" && f.Level != sidecar.LevelOK {
			t.Errorf("a raw connection takes another way: %s", f.Says)
		}
	}
}

func TestContextsCarryTheirTLSFiles(t *testing.T) {
	ours := newAuthority(t)
	address := ours.server(t, nil, &ours)
	dir := contexts(t, `{"currentContext": "lab"}`)
	meta, err := filepath.Glob(filepath.Join(dir, "contexts", "meta", "*", "meta.json"))
	if err != nil || len(meta) != 1 {
		t.Fatal(meta, err)
	}
	if err := os.WriteFile(meta[0], []byte(`{"Name":"lab","Endpoints":{"docker":{"Host":"`+address+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(dir, "contexts", "tls", filepath.Base(filepath.Dir(meta[0])), "docker")
	if err := os.RemoveAll(files); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(files, os.DirFS(folder(t, ours, &ours))); err != nil {
		t.Fatal(err)
	}
	works(t, map[string]string{"DOCKER_CONFIG": dir}, "")
	works(t, map[string]string{"DOCKER_CONFIG": dir, "DOCKER_CONTEXT": "lab"}, "")
	works(t, map[string]string{"DOCKER_CONFIG": dir, "DOCKER_HOST": "unix:///nonexistent"}, "there is no such socket")
}
