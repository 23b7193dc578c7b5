package server_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

// notes is a recorder that remembers.
type notes struct {
	done []string
	fail error
}

func (n *notes) Step(name string) error { n.done = append(n.done, "step "+name); return n.fail }
func (n *notes) Freeze() error          { n.done = append(n.done, "freeze"); return n.fail }
func (n *notes) Status() server.Status {
	return server.Status{Scenario: "s", Calls: int64(len(n.done))}
}

func controlled(t *testing.T, rec server.Recorder) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c") // t.TempDir's names are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "control.sock")
	ln, err := server.ListenControl(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: server.Control(rec, server.Discard())}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { srv.Close() })
	return path
}

func TestControl(t *testing.T) {
	rec := new(notes)
	path := controlled(t, rec)
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSocket == 0 || info.Mode().Perm() != 0o600 {
		t.Fatalf("the socket is %v (%v)", info.Mode(), err)
	}
	for _, verb := range [][2]string{{"status"}, {"step", "one"}, {"freeze"}, {"freeze"}} {
		if _, err := server.Ask(t.Context(), path, verb[0], verb[1]); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if d := cmp.Diff([]string{"step one", "freeze", "freeze"}, rec.done); d != "" {
		t.Errorf("the recorder was asked (-want +got):\n%s", d)
	}
	st, err := server.Ask(t.Context(), path, "status", "")
	if err != nil || st.Scenario != "s" || st.Calls != 3 {
		t.Errorf("status: %+v, %v", st, err)
	}
}

func TestControlRefuses(t *testing.T) {
	rec := &notes{fail: &server.FrozenError{What: "a snapshot"}}
	path := controlled(t, rec)
	var ce *server.ControlError
	if _, err := server.Ask(t.Context(), path, "step", "one"); !errors.As(err, &ce) || !strings.Contains(ce.Message, "frozen") {
		t.Errorf("a refusal of the recorder: %v", err)
	}
	if _, err := server.Ask(t.Context(), path, "reset", ""); !errors.As(err, &ce) {
		t.Errorf("an unknown verb: %v", err)
	}
	var se *server.StepNameError
	for _, name := range []string{"", "..", ".x", "a/b", "a b", strings.Repeat("a", 65), "a\x00"} {
		if _, err := server.Ask(t.Context(), path, "step", name); !errors.As(err, &se) {
			t.Errorf("step %q: %v", name, err)
		}
	}
	if _, err := server.Ask(t.Context(), path+"x", "status", ""); err == nil {
		t.Error("a socket that is not there answered")
	}
}

func TestSocketOfAnEarlierStartIsReplaced(t *testing.T) {
	path := controlled(t, new(notes))
	ln, err := server.ListenControl(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.ListenControl(t.Context(), file); err == nil {
		t.Error("a file that is no socket was replaced")
	}
}
