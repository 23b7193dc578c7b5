package sidecar_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
)

// answers are what a pretended engine says, by the last parts of a path without the API's version.
type answers map[string]any

// sound is an engine as one wishes it.
func sound() answers {
	return answers{
		"version": map[string]any{"Version": "28.5.2", "ApiVersion": "1.51", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64", "KernelVersion": "6.1",
			"Platform": map[string]any{"Name": "Docker Engine - Community"}},
		"info": map[string]any{"NCPU": 4, "MemTotal": 8 << 30, "OperatingSystem": "Debian", "CgroupVersion": "2", "CgroupDriver": "systemd", "MemoryLimit": true,
			"CpuCfsQuota": true, "PidsLimit": true, "Driver": "overlay2", "DockerRootDir": "/nonexistent/docker", "SecurityOptions": []string{"name=seccomp,profile=builtin"}},
		"networks":        []any{},
		"volumes":         map[string]any{"Volumes": []any{}},
		"images/json":     []any{},
		"containers/json": []any{},
	}
}

// with replaces single keys of one answer.
func (a answers) with(path string, fields map[string]any) answers {
	old, _ := a[path].(map[string]any)
	merged := maps.Clone(old)
	maps.Copy(merged, fields)
	return a.but(path, merged)
}

// but replaces an answer.
func (a answers) but(path string, answer any) answers {
	out := maps.Clone(a)
	out[path] = answer
	return out
}

// status is an answer that is an error.
type status int

// ServeHTTP implements http.Handler.
func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(r.URL.Path, "/")
	if strings.HasPrefix(path, "v1.") {
		_, path, _ = strings.Cut(path, "/")
	}
	if v, ok := a["version"].(map[string]any); ok {
		w.Header().Set("Api-Version", fmt.Sprint(v["ApiVersion"]))
	}
	answer, ok := a[path]
	switch {
	case path == "_ping" && !ok:
		fmt.Fprint(w, "OK")
	case path == "grpc" && !ok:
		upgrade(w)
	case !ok:
		http.Error(w, `{"message":"page not found"}`, http.StatusNotFound)
	default:
		say(w, answer)
	}
}

func say(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	if code, ok := answer.(status); ok {
		w.WriteHeader(int(code))
		answer = map[string]string{"message": http.StatusText(int(code))}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// upgrade takes a connection over, as BuildKit's endpoint does.
func upgrade(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	fmt.Fprint(c, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
	_ = c.Close()
}

// serve has a handler answer at a socket until the test ends.
func serve(t *testing.T, h http.Handler) sidecar.Host {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	return sidecar.Host{Address: "unix://" + l.Addr().String(), Source: "test"}
}

// connect opens a connection that is closed when the test ends.
func connect(t *testing.T, h sidecar.Host) *sidecar.Engine {
	t.Helper()
	e, err := sidecar.Connect(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}
