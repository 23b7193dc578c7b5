package sidecar_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/client"
	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

func TestFindHostReadsAddressesAsTheClientDoes(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	certs := t.TempDir()
	for _, f := range []string{"ca.pem", "cert.pem", "key.pem"} {
		if err := os.WriteFile(filepath.Join(certs, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bare := t.TempDir() // without a client certificate
	in := func(dir, file string) string { return filepath.Join(dir, file) }
	for _, c := range []struct {
		name string
		env  map[string]string
		want sidecar.Host
	}{
		{"no scheme means tcp", map[string]string{"DOCKER_HOST": "10.0.0.5:2375"}, sidecar.Host{Address: "tcp://10.0.0.5:2375"}},
		{"no port means 2375", map[string]string{"DOCKER_HOST": "tcp://10.0.0.5"}, sidecar.Host{Address: "tcp://10.0.0.5:2375"}},
		{"no host means this one", map[string]string{"DOCKER_HOST": "tcp://:2380"}, sidecar.Host{Address: "tcp://localhost:2380"}},
		{"an IPv6 address", map[string]string{"DOCKER_HOST": "tcp://[::1]"}, sidecar.Host{Address: "tcp://[::1]:2375"}},
		{"a path behind the port", map[string]string{"DOCKER_HOST": "tcp://x:1/engine"}, sidecar.Host{Address: "tcp://x:1/engine"}},
		{"no socket means the default one", map[string]string{"DOCKER_HOST": "unix://"}, sidecar.Host{Address: client.DefaultDockerHost}},
		{"a socket in the working folder", map[string]string{"DOCKER_HOST": "unix://x.sock"}, sidecar.Host{Address: "unix://" + filepath.Join(here, "x.sock")}},
		{"ssh stays as it is", map[string]string{"DOCKER_HOST": "ssh://me@far:2222/run/d.sock"}, sidecar.Host{Address: "ssh://me@far:2222/run/d.sock"}},
		{"TLS with all files and a check, on its usual port", map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": certs},
			sidecar.Host{Address: "tcp://x:2376", CA: in(certs, "ca.pem"), Cert: in(certs, "cert.pem"), Key: in(certs, "key.pem")}},
		{"TLS without a client certificate", map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": bare},
			sidecar.Host{Address: "tcp://x:2376", CA: in(bare, "ca.pem")}},
		{"TLS without a check", map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_TLS": "1", "DOCKER_CERT_PATH": bare}, sidecar.Host{Address: "tcp://x:2376", SkipVerify: true}},
		{"a folder of certificates alone asks for TLS", map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_CERT_PATH": certs},
			sidecar.Host{Address: "tcp://x:2376", SkipVerify: true, Cert: in(certs, "cert.pem"), Key: in(certs, "key.pem")}},
		{"certificates in the client's own folder", map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_TLS_VERIFY": "1", "DOCKER_CONFIG": certs},
			sidecar.Host{Address: "tcp://x:2376", CA: in(certs, "ca.pem"), Cert: in(certs, "cert.pem"), Key: in(certs, "key.pem")}},
		{"a socket has no TLS", map[string]string{"DOCKER_HOST": "unix:///x.sock", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": certs}, sidecar.Host{Address: "unix:///x.sock"}},
		{"empty variables ask for nothing", map[string]string{"DOCKER_HOST": "tcp://x:1", "DOCKER_TLS_VERIFY": "", "DOCKER_CERT_PATH": "", "DOCKER_TLS": ""}, sidecar.Host{Address: "tcp://x:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := sidecar.FindHost(lookup(c.env))
			if err != nil {
				t.Fatal(err)
			}
			c.want.Source = "DOCKER_HOST"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindHostMakesPathsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cert.pem", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := sidecar.FindHost(lookup(map[string]string{"DOCKER_HOST": "tcp://x", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": "."}))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{h.CA, h.Cert, h.Key} {
		if !filepath.IsAbs(p) {
			t.Errorf("%q is relative, so that a process in another folder cannot use it", p)
		}
	}
}

func TestFindHostRefusesAddresses(t *testing.T) {
	for _, c := range []struct{ name, address, part, never string }{
		{"another scheme", "ftp://x", "unix:///PATH", ""},
		{"http", "https://x:2376", "tcp://HOST:PORT", ""},
		{"a port that is none", "tcp://x:eleven", "not understood", ""},
		{"an IPv6 address without brackets", "::0", "not understood", ""},
		{"a user at tcp", "tcp://me:sesame@x:1", "not understood", "sesame"},
		{"a password for ssh", "ssh://me:sesame@x", "password", "sesame"},
		{"ssh to nobody", "ssh://", "not understood", ""},
		{"control characters", "tcp://x\x1b[31m:1", "not understood", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sidecar.FindHost(lookup(map[string]string{"DOCKER_HOST": c.address}))
			var u *sidecar.UnusableError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.part) {
				t.Fatalf("%v, want a part %q", err, c.part)
			}
			if strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("it steers the terminal: %q", err)
			}
			if c.never != "" && strings.Contains(err.Error(), c.never) {
				t.Errorf("it tells the password: %v", err)
			}
		})
	}
}

func FuzzFindHost(f *testing.F) {
	for _, s := range []string{"", "unix://", "unix:///x", "tcp://x:1/y", "tcp://[::1]:2", "ssh://a@b:3/c", "x", ":1", "a:b@c", "fd://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		h, err := sidecar.FindHost(lookup(map[string]string{"DOCKER_HOST": address}))
		if err != nil {
			return
		}
		again, err := sidecar.FindHost(lookup(map[string]string{"DOCKER_HOST": h.Address}))
		if err != nil || again.Address != h.Address {
			t.Errorf("%q became %q, which became %q, %v", address, h.Address, again.Address, err)
		}
	})
}
