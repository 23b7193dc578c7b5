package sidecar_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/client"
	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

// contexts makes a docker client's folder with the context "lab", and config.json with a text.
func contexts(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("lab"))
	id := hex.EncodeToString(sum[:])
	files := map[string]string{
		filepath.Join("contexts", "meta", id, "meta.json"):         `{"Name":"lab","Endpoints":{"docker":{"Host":"tcp://lab:2376","SkipTLSVerify":false}}}`,
		filepath.Join("contexts", "tls", id, "docker", "ca.pem"):   "ca",
		filepath.Join("contexts", "tls", id, "docker", "cert.pem"): "cert",
		filepath.Join("contexts", "tls", id, "docker", "key.pem"):  "key",
	}
	if config != "" {
		files["config.json"] = config
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestFindHost(t *testing.T) {
	dir := contexts(t, `{"currentContext": "lab", "auths": {}}`)
	tls := func(file string) string {
		sum := sha256.Sum256([]byte("lab"))
		return filepath.Join(dir, "contexts", "tls", hex.EncodeToString(sum[:]), "docker", file)
	}
	lab := sidecar.Host{Address: "tcp://lab:2376", Source: "context lab", CA: tls("ca.pem"), Cert: tls("cert.pem"), Key: tls("key.pem")}
	byDefault := sidecar.Host{Address: client.DefaultDockerHost, Source: "default"}
	for _, c := range []struct {
		name string
		env  map[string]string
		want sidecar.Host
	}{
		{"nothing is set", nil, byDefault},
		{"a home without settings", map[string]string{"HOME": t.TempDir()}, byDefault},
		{"DOCKER_HOST", map[string]string{"DOCKER_HOST": "tcp://x:2375"}, sidecar.Host{Address: "tcp://x:2375", Source: "DOCKER_HOST"}},
		{"DOCKER_HOST wins over contexts", map[string]string{"DOCKER_HOST": "unix:///x.sock", "DOCKER_CONTEXT": "lab", "DOCKER_CONFIG": dir}, sidecar.Host{Address: "unix:///x.sock", Source: "DOCKER_HOST"}},
		{"an empty DOCKER_HOST is none", map[string]string{"DOCKER_HOST": "", "DOCKER_CONFIG": dir}, lab},
		{"DOCKER_CONTEXT", map[string]string{"DOCKER_CONTEXT": "lab", "DOCKER_CONFIG": dir}, lab},
		{"the current context", map[string]string{"DOCKER_CONFIG": dir}, lab},
		{"the context called default", map[string]string{"DOCKER_CONTEXT": "default", "DOCKER_CONFIG": dir}, byDefault},
		{"a current context called default", map[string]string{"DOCKER_CONFIG": contexts(t, `{"currentContext":"default"}`)}, byDefault},
		{"settings without a current context", map[string]string{"DOCKER_CONFIG": contexts(t, `{}`)}, byDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := sidecar.FindHost(lookup(c.env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindHostNeverTakesAnotherEngine(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		part string
	}{
		{"a context that is not there", map[string]string{"DOCKER_CONTEXT": "nowhere", "DOCKER_CONFIG": contexts(t, "")}, "nowhere"},
		{"a context without a folder", map[string]string{"DOCKER_CONTEXT": "nowhere"}, "nowhere"},
		{"a current context that is not there", map[string]string{"DOCKER_CONFIG": contexts(t, `{"currentContext":"gone"}`)}, "gone"},
		{"settings that are broken", map[string]string{"DOCKER_CONFIG": contexts(t, `{"currentContext":`)}, "config.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := sidecar.FindHost(lookup(c.env))
			var u *sidecar.UnusableError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.part) {
				t.Errorf("%+v, %v", h, err)
			}
		})
	}
}

func TestConnectRefusesWhatIsNoAddress(t *testing.T) {
	for _, c := range []struct {
		name string
		host sidecar.Host
	}{
		{"a word", sidecar.Host{Address: "nonsense", Source: "test"}},
		{"ssh without a host", sidecar.Host{Address: "ssh://", Source: "test"}},
		{"TLS files that are not there", sidecar.Host{Address: "tcp://x:1", Source: "test", CA: "/nonexistent/ca.pem"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := sidecar.Connect(c.host)
			var u *sidecar.UnusableError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.host.Address) || !strings.Contains(err.Error(), "test") {
				t.Errorf("%v, %v", e, err)
			}
		})
	}
}
