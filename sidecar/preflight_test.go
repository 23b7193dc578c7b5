package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

// raw answers every connection to a socket with a function.
func raw(t *testing.T, do func(net.Conn)) sidecar.Host {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			do(c)
		}
	}()
	return sidecar.Host{Address: "unix://" + l.Addr().String(), Source: "test"}
}

func TestPreflightRefusesEngines(t *testing.T) {
	at := func(h http.Handler) func(*testing.T) sidecar.Host {
		return func(t *testing.T) sidecar.Host { t.Helper(); return serve(t, h) }
	}
	version := func(fields map[string]any) func(*testing.T) sidecar.Host { return at(sound().with("version", fields)) }
	socket := func(address string) func(*testing.T) sidecar.Host {
		return func(*testing.T) sidecar.Host { return sidecar.Host{Address: address, Source: "test"} }
	}
	for _, c := range []struct {
		name string
		host func(*testing.T) sidecar.Host
		part string
	}{
		{"no socket", socket("unix:///nonexistent/s"), "there is no such socket; start the engine"},
		{"a file that is no socket", socket("unix:///etc/passwd"), "nothing accepts connections there"},
		{"a port that refuses", socket("tcp://127.0.0.1:1"), "nothing accepts connections there"},
		{"a name that is none", socket("tcp://no-such-host.invalid:1"), "cannot be resolved"},
		{"a socket that never answers", func(t *testing.T) sidecar.Host { t.Helper(); return raw(t, func(net.Conn) {}) }, "no answer within"},
		{"a socket that hangs up", func(t *testing.T) sidecar.Host { t.Helper(); return raw(t, func(c net.Conn) { _ = c.Close() }) }, "cannot be used"}, // whether Go calls it idle by then is a matter of luck
		{"something else than HTTP", func(t *testing.T) sidecar.Host {
			t.Helper()
			return raw(t, func(c net.Conn) { fmt.Fprint(c, "220 mail\x1b[31m ready\r\n"); _ = c.Close() })
		}, "no container engine"},
		{"a web server", at(http.NotFoundHandler()), "what answers there is no container engine"},
		{"a web server that likes everything", at(answers{"_ping": map[string]any{}, "version": map[string]any{}}), "what answers there is no container engine"},
		{"an API before 1.41", version(map[string]any{"ApiVersion": "1.40"}), "it speaks API 1.40, and 1.41 (Docker 20.10) or later is needed"},
		{"an API before versions were agreed on", version(map[string]any{"ApiVersion": "1.20"}), "it speaks API 1.20"},
		{"an API that is too new", at(sound().with("version", map[string]any{"ApiVersion": "1.99"}).but("version", status(http.StatusBadRequest)).but("_ping", "OK")), "container engine"},
		{"Windows containers", version(map[string]any{"Os": "windows"}), "it runs windows containers"},
		{"a processor without a helper", version(map[string]any{"Arch": "riscv64"}), "its processor is riscv64: this seatrial carries no container helper for linux/riscv64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := c.host(t)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			_, err := connect(t, h).Preflight(ctx, sidecar.Room{})
			var u *sidecar.UnusableError
			if !errors.As(err, &u) {
				t.Fatalf("got %v, want an *UnusableError", err)
			}
			text := err.Error()
			if !strings.Contains(text, c.part) || !strings.Contains(text, h.Address) {
				t.Errorf("%q, want a part %q and the address", text, c.part)
			}
			if strings.ContainsAny(text, "\n\x1b") || len(text) > 600 {
				t.Errorf("not one clear line: %q", text)
			}
		})
	}
}

func TestAnEngineThatHasMovedOnIsToldApart(t *testing.T) {
	h := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.99")
		if strings.HasSuffix(r.URL.Path, "_ping") {
			return
		}
		say(w, status(http.StatusBadRequest)) // as engines answer to versions below their least
	}))
	_, err := connect(t, h).Preflight(t.Context(), sidecar.Room{})
	if err == nil || !strings.Contains(err.Error(), "no longer speaks API 1.51") || !strings.Contains(err.Error(), "newer seatrial") {
		t.Error(err)
	}
}

func TestPreflightOfASocketThatIsForOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	u := sidecar.WhyUnusable(sidecar.Host{Address: "unix://" + path, Source: "test"}, &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", os.ErrPermission)})
	if !strings.Contains(u.Error(), "this user may not open "+path) || !strings.Contains(u.Error(), "group") {
		t.Error(u)
	}
	if os.Geteuid() == 0 {
		return // root may open everything
	}
	_, err = connect(t, sidecar.Host{Address: "unix://" + path, Source: "test"}).Preflight(t.Context(), sidecar.Room{})
	if err == nil || !strings.Contains(err.Error(), "this user may not open") {
		t.Error(err)
	}
}

func TestPreflightMeasuresDisks(t *testing.T) {
	data := t.TempDir()
	full := int64(math.MaxInt64)
	for _, c := range []struct {
		name string
		root string
		room sidecar.Room
		want string
	}{
		{"both have room", data, sidecar.Room{RunsDir: data, MinFree: 1}, ""},
		{"nobody looks", data, sidecar.Room{RunsDir: data}, ""},
		{"no room for records, in a folder that is not there yet", "", sidecar.Room{RunsDir: filepath.Join(data, "a", "b"), MinFree: full}, "the runs folder"},
		{"a data folder that cannot be seen from here", "/nonexistent/docker", sidecar.Room{RunsDir: data, MinFree: 1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := serve(t, sound().with("info", map[string]any{"DockerRootDir": c.root}))
			_, err := connect(t, h).Preflight(t.Context(), c.room)
			var s *sidecar.SpaceError
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
			case !errors.As(err, &s) || s.What != c.want || s.Want != full || s.Free <= 0 || !strings.Contains(err.Error(), "--min-free"):
				t.Errorf("%v", err)
			case s.Path != data:
				t.Errorf("it measured %s, want the parent %s", s.Path, data)
			}
		})
	}
	t.Run("no room for the engine's data", func(t *testing.T) {
		err := sidecar.CheckThere(sidecar.Room{MinFree: full}, data)
		var s *sidecar.SpaceError
		if !errors.As(err, &s) || s.What != "the engine's data" {
			t.Error(err)
		}
	})
}

func TestPreflightGoesOnWithoutTheMachine(t *testing.T) {
	for _, c := range []struct {
		name string
		info any
		want []sidecar.Resource
	}{
		{"a filter forbids the question", status(http.StatusForbidden), nil},
		{"all limits hold", sound()["info"], nil},
		{"no limit holds", map[string]any{}, []sidecar.Resource{sidecar.Memory, sidecar.CPUs, sidecar.Processes}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := connect(t, serve(t, sound().but("info", c.info)))
			in, err := e.Preflight(t.Context(), sidecar.Room{RunsDir: ".", MinFree: 1})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, in.Loose); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Calls() != 3 {
				t.Errorf("%d requests, want ping, version and info", e.Calls())
			}
		})
	}
}
