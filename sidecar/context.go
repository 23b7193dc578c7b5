package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/docker/docker/client"
)

// FindHost chooses the engine as the docker client does: DOCKER_HOST (with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH), then DOCKER_CONTEXT,
// then the current context of the client's config file, then the platform's default socket. look reads the environment.
func FindHost(look func(string) (string, bool)) (Host, error) {
	if h, ok := look("DOCKER_HOST"); ok && h != "" {
		return withTLS(Host{Address: h, Source: "DOCKER_HOST"}, look), nil
	}
	dir := configDir(look)
	name, source := "", ""
	if c, ok := look("DOCKER_CONTEXT"); ok && c != "" {
		name, source = c, "DOCKER_CONTEXT"
	} else if dir != "" {
		name, source = currentContext(dir), filepath.Join(dir, "config.json")
	}
	if name == "" || name == "default" {
		return Host{Address: client.DefaultDockerHost, Source: "default"}, nil
	}
	return contextHost(dir, name, source)
}

func withTLS(h Host, look func(string) (string, bool)) Host {
	certs, ok := look("DOCKER_CERT_PATH")
	verify, _ := look("DOCKER_TLS_VERIFY")
	if !ok || certs == "" {
		if verify == "" {
			return h
		}
		certs = configDir(look)
	}
	h.CA, h.Cert, h.Key = filepath.Join(certs, "ca.pem"), filepath.Join(certs, "cert.pem"), filepath.Join(certs, "key.pem")
	h.SkipVerify = verify == ""
	return h
}

func configDir(look func(string) (string, bool)) string {
	if d, ok := look("DOCKER_CONFIG"); ok && d != "" {
		return d
	}
	if home, ok := look("HOME"); ok && home != "" {
		return filepath.Join(home, ".docker")
	}
	return ""
}

func currentContext(dir string) string {
	var c struct {
		CurrentContext string `json:"currentContext"` //nolint:tagliatelle // the docker client's own spelling
	}
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil || json.Unmarshal(data, &c) != nil {
		return ""
	}
	return c.CurrentContext
}

// contextHost reads a context from the client's store: contexts/meta/<sha256 of the name>/meta.json, with TLS files beside it
// under contexts/tls (the layout of docker/cli's context store).
func contextHost(dir, name, source string) (Host, error) {
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	file := filepath.Join(dir, "contexts", "meta", id, "meta.json")
	bad := func(err error) (Host, error) {
		return Host{}, &UnusableError{Host: "context " + name, Source: source, Reason: "the context cannot be read", Cause: err}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return bad(err)
	}
	var meta struct {
		Endpoints map[string]struct {
			Host          string
			SkipTLSVerify bool
		}
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return bad(fmt.Errorf("%s: %w", file, err))
	}
	ep, ok := meta.Endpoints["docker"]
	if !ok {
		return bad(fmt.Errorf("%s: no docker endpoint", file))
	}
	h := Host{Address: ep.Host, Source: "context " + name, SkipVerify: ep.SkipTLSVerify}
	if h.Address == "" {
		h.Address = client.DefaultDockerHost
	}
	tls := filepath.Join(dir, "contexts", "tls", id, "docker")
	for file, field := range map[string]*string{"ca.pem": &h.CA, "cert.pem": &h.Cert, "key.pem": &h.Key} {
		if p := filepath.Join(tls, file); fileExists(p) {
			*field = p
		}
	}
	return h, nil
}
