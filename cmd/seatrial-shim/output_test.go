//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestOutputBeforeTheLimitIsKept(t *testing.T) {
	t.Parallel()
	var r recorder
	rep := carry(t, shim.Spec{Argv: sh(`for i in 1 2 3; do echo $i; done; printf 4; exec sleep 100`), LimitMS: 500, Head: 4, Tail: 2}, &r)
	if got := r.out.String(); got != "1\n2\n\n4" || rep.Limit != "kill" {
		t.Errorf("got %q, limit %q", got, rep.Limit)
	}
	if d := cmp.Diff(shim.StreamReport{Bytes: 7, Cut: 1}, rep.Stdout); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestOutputIsLive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	// The command waits for an answer to what it printed; were that held back, the limit would end it.
	r := recorder{onOut: once(func() { go os.WriteFile(gate, []byte("go\n"), 0o600) })}
	rep := carry(t, shim.Spec{Argv: sh("printf ready; read x < " + gate + "; echo $x"), LimitMS: 20_000}, &r)
	if r.out.String() != "readygo\n" || rep.Limit != "" {
		t.Errorf("got %q, limit %q", r.out.String(), rep.Limit)
	}
}

func TestOutputBytes(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	want.WriteString("x") // an odd prefix, so that every boundary cuts a character
	for want.Len() < 1<<20 {
		want.WriteString("äß€😀🚢")
	}
	file := write(t, filepath.Join(t.TempDir(), "text"), want.String(), 0o644)
	var r recorder
	rep := carry(t, shim.Spec{Argv: []string{"cat", file}}, &r)
	if !bytes.Equal(r.out.Bytes(), want.Bytes()) {
		t.Error("the output differs from what was printed")
	}
	if rep.Stdout.Bytes != int64(want.Len()) || rep.Stdout.Cut != 0 {
		t.Errorf("report: %+v", rep.Stdout)
	}
}

func TestStreamsStayApart(t *testing.T) {
	t.Parallel()
	const lines = 2000
	fill := strings.Repeat("x", 290)
	var r recorder
	carry(t, shim.Spec{Argv: sh(fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo "o $i %s"; echo "e $i %s" >&2; i=$((i+1)); done`, lines, fill, fill))}, &r)
	var out, err strings.Builder
	for i := range lines {
		fmt.Fprintf(&out, "o %d %s\n", i, fill)
		fmt.Fprintf(&err, "e %d %s\n", i, fill)
	}
	if r.out.String() != out.String() || r.err.String() != err.String() {
		t.Error("the streams differ from what was printed")
	}
}

func TestEndlessOutputIsCut(t *testing.T) {
	t.Parallel()
	var peak int
	var r recorder
	r.onOut = func() { peak = max(peak, r.out.Len()) }
	begin := time.Now()
	rep := carry(t, shim.Spec{Argv: sh("exec cat /dev/zero"), LimitMS: 1000, Head: 100_000, Tail: 50_000}, &r)
	if r.out.Len() != 150_000 || rep.Limit == "" {
		t.Errorf("got %d bytes, limit %q", r.out.Len(), rep.Limit)
	}
	if len(r.cuts) != 1 || r.cuts[0].Stream != shim.FrameStdout || r.cuts[0].Bytes != rep.Stdout.Cut {
		t.Errorf("cuts %+v, report %+v", r.cuts, rep.Stdout)
	}
	if rep.Stdout.Bytes < 10<<20 || rep.Stdout.Bytes-rep.Stdout.Cut != 150_000 {
		t.Errorf("the command was held up: %+v", rep.Stdout)
	}
	if d := time.Since(begin); d > 15*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestMemoryStaysSmall(t *testing.T) {
	t.Parallel()
	// The command looks at its parent, which is the helper, after it has printed 200 MB.
	var r recorder
	carry(t, shim.Spec{Argv: sh(`head -c 200000000 /dev/zero; grep VmHWM /proc/$PPID/status >&2`), Head: 1 << 20, Tail: 1 << 20}, &r)
	var kb int
	if _, err := fmt.Sscanf(strings.TrimSpace(r.err.String()), "VmHWM: %d kB", &kb); err != nil {
		t.Fatalf("%q: %v", r.err.String(), err)
	}
	if kb > 24<<10 {
		t.Errorf("the helper used %d kB", kb)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("602.%d", time.Now().UnixNano())
	argv := command(t, shim.Spec{Argv: sh("trap '' PIPE; setsid sleep " + mark + " & while :; do echo x; sleep 0.01; done"), KeepLeftovers: true})
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = pipe.Close()
	if err := cmd.Wait(); err == nil {
		t.Error("the helper called that a success")
	}
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestSlowReaderLosesNothing(t *testing.T) {
	t.Parallel()
	const size = 110_000 // more than our own pipe holds, less than it and the command's pipe together
	done := filepath.Join(t.TempDir(), "done")
	argv := command(t, shim.Spec{Argv: sh(fmt.Sprintf("head -c %d /dev/zero; echo > %s", size, done))})
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command's end", func() bool { return !missing(done) })
	// Longer than the helper waits for late output.
	<-time.After(1500 * time.Millisecond)
	var r recorder
	if _, err := shim.Read(pipe, &r); err != nil || r.out.Len() != size {
		t.Errorf("%d bytes, %v", r.out.Len(), err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
