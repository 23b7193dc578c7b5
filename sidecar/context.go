package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/docker/docker/client"
)

// FindHost chooses the engine as the docker client does: DOCKER_HOST, then DOCKER_CONTEXT, then the current context of the client's config file,
// then the platform's default socket. Beside DOCKER_HOST, any of DOCKER_TLS_VERIFY, DOCKER_TLS and DOCKER_CERT_PATH asks for TLS; only with
// DOCKER_TLS_VERIFY is the engine's certificate checked, as everywhere with these variables. look reads the environment. What cannot be
// followed is an *UnusableError: another engine is never taken instead.
func FindHost(look func(string) (string, bool)) (Host, error) {
	if h, ok := look("DOCKER_HOST"); ok && h != "" {
		host := Host{Address: h, Source: "DOCKER_HOST"}
		askedTLS(&host, look)
		return host.settled()
	}
	dir := configDir(look)
	name, source := "", "DOCKER_CONTEXT"
	if c, ok := look("DOCKER_CONTEXT"); ok && c != "" {
		name = c
	} else if dir != "" {
		source = filepath.Join(dir, "config.json")
		var err error
		if name, err = currentContext(source); err != nil {
			return Host{}, &UnusableError{Host: "the current context", Source: source, Reason: "the file cannot be read", Cause: err,
				Hint: "repair it, or name the engine with DOCKER_HOST"}
		}
	}
	if name == "" || name == "default" {
		return Host{Address: client.DefaultDockerHost, Source: "default"}, nil
	}
	return contextHost(dir, name, source)
}

// askedTLS adds what the environment says about TLS.
func askedTLS(h *Host, look func(string) (string, bool)) {
	set := func(name string) bool { v, _ := look(name); return v != "" }
	if !set("DOCKER_CERT_PATH") && !set("DOCKER_TLS_VERIFY") && !set("DOCKER_TLS") {
		return
	}
	dir, _ := look("DOCKER_CERT_PATH")
	if dir == "" {
		dir = configDir(look)
	}
	h.SkipVerify = !set("DOCKER_TLS_VERIFY")
	if !h.SkipVerify {
		h.CA = filepath.Join(dir, "ca.pem") // missing, it is an error later: a check was asked for
	}
	// Many engines want no client certificate.
	if cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"); fileExists(cert) || fileExists(key) {
		h.Cert, h.Key = cert, key
	}
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

func currentContext(file string) (string, error) {
	var c struct {
		CurrentContext string `json:"currentContext"` //nolint:tagliatelle // the docker client's own spelling
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the docker client's settings: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return "", fmt.Errorf("read the docker client's settings: %w", err)
	}
	return c.CurrentContext, nil
}

// contextHost reads a context from the client's store: contexts/meta/<sha256 of the name>/meta.json, with TLS files beside it
// under contexts/tls (the layout of docker/cli's context store).
func contextHost(dir, name, source string) (Host, error) {
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	file := filepath.Join(dir, "contexts", "meta", id, "meta.json")
	bad := func(reason string, err error) (Host, error) {
		return Host{}, &UnusableError{Host: "context " + name, Source: source, Reason: reason, Cause: err, Hint: "`docker context ls` lists the contexts"}
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return bad("there is no context of that name", nil)
	}
	if err != nil {
		return bad("the context cannot be read", err)
	}
	var meta struct {
		Endpoints map[string]struct {
			Host          string
			SkipTLSVerify bool
		}
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return bad("the context cannot be read", fmt.Errorf("%s: %w", file, err))
	}
	ep, ok := meta.Endpoints["docker"]
	if !ok {
		return bad("the context names no container engine", nil)
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
	return h.settled()
}
