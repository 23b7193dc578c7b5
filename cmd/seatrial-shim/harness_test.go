//go:build linux

package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// helper is the path of the built helper.
var helper string

func TestMain(m *testing.M) { os.Exit(withHelper(m)) }

func withHelper(m *testing.M) int {
	dir, err := os.MkdirTemp("", "seatrial-shim-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	// Other users run it too.
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	helper = filepath.Join(dir, "shim")
	build := exec.Command("go", "build", "-tags", "seatrial_shim", "-o", helper, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	return m.Run()
}

// recorder is a sink that keeps everything.
type recorder struct {
	out, err bytes.Buffer
	cuts     []shim.Cut
	// onOut is called with each piece of standard output.
	onOut func()
}

func (r *recorder) Stdout(p []byte) error {
	r.out.Write(p)
	if r.onOut != nil {
		r.onOut()
	}
	return nil
}
func (r *recorder) Stderr(p []byte) error { r.err.Write(p); return nil }

func (r *recorder) Cut(c shim.Cut) error {
	r.cuts = append(r.cuts, c)
	return nil
}

// patience is far more than any command of these tests takes.
const patience = 60 * time.Second

// carry runs a spec under the helper and returns its report.
func carry(t *testing.T, spec shim.Spec, to *recorder) *shim.Report {
	t.Helper()
	argv := command(t, spec)
	return carryArgv(t, argv, to)
}

func carryArgv(t *testing.T, argv []string, to *recorder) *shim.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var noise bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = &noise
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rep, rerr := shim.Read(pipe, to)
	rest, _ := io.ReadAll(pipe)
	if err := cmd.Wait(); err != nil || rerr != nil {
		t.Fatalf("the helper ended with %v, its stream with %v: %s", err, rerr, noise.String())
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes follow the report", len(rest))
	}
	return rep
}

func command(t *testing.T, spec shim.Spec) []string {
	t.Helper()
	argv, err := spec.Command()
	if err != nil {
		t.Fatal(err)
	}
	argv[0] = helper
	return argv
}

// inContainer puts the command behind the helper as process 1 of a new process namespace.
func inContainer(t *testing.T, argv []string) []string {
	t.Helper()
	unshare := []string{"unshare", "--pid", "--fork", "--mount-proc"}
	if err := exec.Command(unshare[0], append(unshare[1:], "true")...).Run(); err != nil {
		t.Skipf("no process namespace can be made here: %v", err)
	}
	return append(append(unshare, helper, "init", "--"), argv...)
}

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

// marked lists the processes whose command line holds the mark.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(mark)) {
			found = append(found, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return found
}

// eventually polls until ok, and fails the test when that takes too long.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s did not happen", what)
		}
	}
}

// once makes a value of any function that may be called often.
func once(f func()) func() {
	var o sync.Once
	return func() { o.Do(f) }
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

func write(t *testing.T, file, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func missing(file string) bool {
	_, err := os.Lstat(file)
	return errors.Is(err, os.ErrNotExist)
}
