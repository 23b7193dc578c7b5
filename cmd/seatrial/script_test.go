package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the scripts' golden parts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"seatrial": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:             filepath.Join("testdata", "script"),
		UpdateScripts:   *update,
		ContinueOnError: true,
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "TERM"} {
				e.Setenv(name, "")
			}
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"mute":    mute,
			"plays":   plays,
			"holds":   holds,
			"raw":     raw,
			"commits": commits,
			"fills":   fills,
		},
	})
}

// exits runs a command that must end with an exit code, and within a time: exits CODE DURATION COMMAND...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: exits CODE DURATION COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	limit, err := time.ParseDuration(args[1])
	ts.Check(err)
	started := time.Now()
	err = ts.Exec(args[2], args[3:]...)
	took := time.Since(started)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if took > limit {
		ts.Fatalf("it took %v, more than %v", took, limit)
	}
}

// listen opens a socket in the script's folder.
func listen(ts *testscript.TestScript, name string) net.Listener {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "unix", ts.MkAbs(name))
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	return l
}

// mute SOCKET accepts connections and never answers.
func mute(ts *testscript.TestScript, _ bool, args []string) {
	l := listen(ts, args[0])
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
}

// plays SOCKET FILE answers as an engine that knows nothing but its version, which is in FILE; all else is an error.
func plays(ts *testscript.TestScript, _ bool, args []string) {
	version := ts.ReadFile(args[1])
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/_ping"):
			w.Header().Set("Api-Version", "1.51")
			_, _ = io.WriteString(w, "OK")
		case strings.HasSuffix(r.URL.Path, "/version"):
			_, _ = io.WriteString(w, version)
		default:
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"message": "this engine is for show"}`)
		}
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	l := listen(ts, args[0])
	go func() { _ = srv.Serve(l) }()
	ts.Defer(func() { _ = srv.Close() })
}

// holds STREAM TEXT... says whether a stream or file holds each of the texts; ! holds that it holds none of them.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, part := range args[1:] {
		if strings.Contains(text, part) == neg {
			ts.Fatalf("%s: %q: wanted absent: %v\n%s", args[0], part, neg, text)
		}
	}
}

// raw FROM TO makes a copy of a file with control characters: \e becomes an escape.
func raw(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.NewReplacer(`\e`, "\x1b", `\a`, "\a").Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}
