package checkout_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task/checkout"
)

// store opens a store in a folder of the test's own.
func store(t *testing.T) *checkout.Store {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache := filepath.Join(t.TempDir(), "cache")
	s, err := checkout.Open(func(name string) (string, bool) { return cache, name == checkout.CacheVariable })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func origin(t *testing.T, text string) *checkout.Origin {
	t.Helper()
	o, err := checkout.ParseOrigin(text, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// listing is what is in a folder: names with their content, mode or target.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			all[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		info, _ := d.Info()
		all[rel] = string(data)
		if info.Mode().Perm() != 0o644 {
			all[rel] += " " + info.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGet(t *testing.T) {
	r := newRepo(t)
	old := r.commit(t, file("a", "old"))
	tip := r.commit(t, file("a", "new"), entry{mode: "100755", name: "run.sh", text: "#!/bin/sh\n"}, dir("tasks", dir("t", file("task.toml", ""), link("in", "../../a"))))
	overHTTP := r.serve(t)
	for _, c := range []struct {
		name, origin, commit string
		want                 map[string]string
	}{
		{"a folder", r.dir, tip, map[string]string{"a": "new", "run.sh": "#!/bin/sh\n -rwxr-xr-x", "tasks/t/task.toml": "", "tasks/t/in": "-> ../../a"}},
		{"a file address, an older commit", "file://" + r.dir, old, map[string]string{"a": "old"}},
		{"http, the tip", overHTTP.URL + "/repo.git", tip, map[string]string{"a": "new", "run.sh": "#!/bin/sh\n -rwxr-xr-x", "tasks/t/task.toml": "", "tasks/t/in": "-> ../../a"}},
		{"http, an older commit", overHTTP.URL + "/repo.git/", old, map[string]string{"a": "old"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, o := store(t), origin(t, c.origin)
			got, err := s.Get(t.Context(), o, c.commit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, listing(t, got.Dir)); diff != "" {
				t.Error(diff)
			}
			if got.Dir != s.Dir(o, c.commit) {
				t.Errorf("%s, and not at %s", got.Dir, s.Dir(o, c.commit))
			}
			beside, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(got.Dir)), "*"))
			in, _ := filepath.Glob(filepath.Join(filepath.Dir(got.Dir), "*"))
			if len(beside) != 1 || len(in) != 2 {
				t.Errorf("left in the cache: %q %q", beside, in)
			}
		})
	}
}

func TestGetFromGitItself(t *testing.T) {
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not here")
	}
	r := newRepo(t)
	old := r.commit(t, file("a", "old"))
	tip := r.commit(t, file("a", "new"), file("big", strings.Repeat("0123456789", 100_000)))
	for _, c := range []struct{ name, config, commit string }{
		{"the tip, alone", "false", tip},
		{"an older commit, alone", "true", old},
		{"an older commit, with all history", "false", old},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(&cgi.Handler{Path: path, Args: []string{"-c", "uploadpack.allowReachableSHA1InWant=" + c.config, "http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1"}})
			defer srv.Close()
			got, err := store(t).Get(t.Context(), origin(t, srv.URL+"/repo.git"), c.commit)
			if err != nil {
				t.Fatal(err)
			}
			if a := listing(t, got.Dir)["a"]; a != map[string]string{old: "old", tip: "new"}[c.commit] {
				t.Errorf("a holds %q", a)
			}
		})
	}
}

func TestOfflineAndTheCache(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(t, file("a", "1"))
	s, o := store(t), origin(t, r.dir)
	var told []string
	s.Notice = func(text string) { told = append(told, text) }
	s.Offline = true
	if _, err := s.Get(t.Context(), o, commit); err == nil || !strings.Contains(err.Error(), "--offline") {
		t.Errorf("offline, and not in the cache: %v", err)
	}
	s.Offline = false
	// What a process that was killed had begun goes away.
	stale := filepath.Dir(s.Dir(o, commit)) + ".tmp-1"
	if err := os.MkdirAll(filepath.Join(stale, "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), o, commit); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("what a killed process left is still there")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	s.Offline = true
	if got, err := s.Get(t.Context(), o, commit); err != nil || listing(t, got.Dir)["a"] != "1" {
		t.Errorf("offline, out of the cache: %v", err)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "fetching ") {
		t.Errorf("told: %q", told)
	}
}

func TestManyAtOnceFetchOnce(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(t, file("a", "1"))
	s, o := store(t), origin(t, r.dir)
	var mu sync.Mutex
	fetched := 0
	s.Notice = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(text, "fetching ") {
			fetched++
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Get(t.Context(), o, commit); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if fetched != 1 {
		t.Errorf("fetched %d times", fetched)
	}
}

func TestSourcesThatCannotBeHad(t *testing.T) {
	r := newRepo(t)
	r.commit(t, file("a", "1"))
	absent := strings.Repeat("12", 20)
	shut := httptest.NewServer(http.NotFoundHandler())
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	junk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }))
	t.Cleanup(func() { shut.Close(); locked.Close(); junk.Close() })
	empty := t.TempDir()
	for _, c := range []struct{ name, origin, want string }{
		{"no such commit here", r.dir, "the repository has no such commit"},
		{"no such commit on the server", r.serve(t).URL + "/repo.git", "no such commit"},
		{"no such folder", filepath.Join(empty, "x"), "there is no such folder"},
		{"no repository", empty, "it is no git repository"},
		{"no such repository", shut.URL + "/x.git", "no such repository"},
		{"a login", locked.URL + "/x.git", "wants a login"},
		{"no server", gone.URL + "/x.git", "connection refused"},
		{"no git server", junk.URL + "/x.git", "asking the server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := store(t).Get(t.Context(), origin(t, c.origin), absent)
			var fetch *checkout.FetchError
			if !errors.As(err, &fetch) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestACancelledFetchEndsWithItsReason(t *testing.T) {
	block := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-block:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(block)
	reason := errors.New("called off")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := store(t)
	s.Notice = func(string) { cancel(reason) }
	if _, err := s.Get(ctx, origin(t, slow.URL+"/x.git"), strings.Repeat("12", 20)); !errors.Is(err, reason) {
		t.Errorf("%v", err)
	}
}

func TestNoPlaceForACache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	_, err := checkout.Open(func(string) (string, bool) { return "", false })
	var none *checkout.NoCacheError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "set SEATRIAL_CACHE to a folder") {
		t.Errorf("%v", err)
	}
}
