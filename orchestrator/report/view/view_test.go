package view_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator/report/view"
)

const address = "127.0.0.1:4321"

func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "trials", "a b"), 0o755),
		os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("secret"), 0o644),
		os.WriteFile(filepath.Join(dir, "run.json"), []byte("{}"), 0o644),
		os.WriteFile(filepath.Join(dir, "trials", "a b", "evil.html"), []byte("<script>alert(1)</script>"), 0o644),
		os.Symlink("../secret", filepath.Join(dir, "out")),
		os.Symlink("run.json", filepath.Join(dir, "within")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHandler(t *testing.T) {
	root, err := os.OpenRoot(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	h := view.Handler(root, func(w io.Writer) error { _, err := io.WriteString(w, "the page"); return err }, address)
	for _, c := range []struct {
		name, method, host, target string
		code                       int
		body                       string
	}{
		{"the page", "GET", address, "/", 200, "the page"},
		{"the page by localhost", "GET", "LocalHost:4321", "/", 200, "the page"},
		{"the page's head", "HEAD", address, "/", 200, ""},
		{"a file", "GET", address, "/run.json", 200, "{}"},
		{"a file whose name has a space", "GET", address, "/trials/a%20b/evil.html", 200, "<script>"},
		{"another host", "GET", "evil.example:4321", "/", 421, ""},
		{"another port", "GET", "127.0.0.1:80", "/", 421, ""},
		{"no host", "GET", "", "/", 421, ""},
		{"another host that ends like ours", "GET", "127.0.0.1:4321.evil.example", "/run.json", 421, ""},
		{"writing", "POST", address, "/", 405, ""},
		{"putting a file", "PUT", address, "/run.json", 405, ""},
		{"asking across sites", "OPTIONS", address, "/", 405, ""},
		{"a link out", "GET", address, "/out", 404, ""},
		{"a link within", "GET", address, "/within", 404, ""},
		{"above the folder", "GET", address, "/../secret", 404, ""},
		{"above the folder, escaped", "GET", address, "/trials/%2e%2e/%2e%2e/secret", 404, ""},
		{"from the top", "GET", address, "//etc/passwd", 404, ""},
		{"a pipe", "GET", address, "/pipe", 404, ""},
		{"a folder", "GET", address, "/trials", 404, ""},
		{"what is not there", "GET", address, "/none", 404, ""},
		{"a zero byte", "GET", address, "/a%00b", 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "http://x"+c.target, nil)
			r.Host = c.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.body) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.code, c.body)
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("the head is %v", w.Header())
			}
			if kind := w.Header().Get("Content-Type"); c.target != "/" && !strings.HasPrefix(kind, "text/plain") {
				t.Errorf("the type is %s", kind)
			}
		})
	}
}

func TestAPageThatCannotBeMadeIsAnError(t *testing.T) {
	root, err := os.OpenRoot(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r := httptest.NewRequest("GET", "http://"+address+"/", nil)
	w := httptest.NewRecorder()
	view.Handler(root, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return errors.New("no run") }, address).ServeHTTP(w, r)
	if w.Code != 500 || strings.Contains(w.Body.String(), "half") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestServeListensOnThisMachineUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- view.Serve(ctx, folder(t), func(w io.Writer) error { _, err := io.WriteString(w, "the page"); return err }, 0, func(a string) { at <- a })
	}()
	var address string
	select {
	case address = <-at:
	case err := <-done:
		t.Fatal(err)
	}
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("it listens on %s", address)
	}
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "the page" {
		t.Errorf("it says %q", body)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}
