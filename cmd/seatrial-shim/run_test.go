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

func TestEnds(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Exit   int
		Signal string
		Out    string
		Err    string
	}
	for _, c := range []struct {
		name   string
		script string
		want   outcome
	}{
		{"exit code and both streams come back", `echo out; echo err >&2; exit 3`, outcome{3, "", "out\n", "err\n"}},
		{"a command that exits with 137 was not killed", `exit 137`, outcome{137, "", "", ""}},
		{"a command that is killed names its signal", `kill -9 $$`, outcome{137, "SIGKILL", "", ""}},
		{"standard input is empty", `cat; echo done`, outcome{0, "", "done\n", ""}},
		{"the streams can be opened by name", `echo out > /dev/stdout; echo err > /dev/stderr`, outcome{0, "", "out\n", "err\n"}},
		{"output without a newline comes back", `printf half`, outcome{0, "", "half", ""}},
		{"what a filter behind the command prints a moment later is not lost",
			`{ { sleep 0.1; echo late; } & } ; exit 4`, outcome{4, "", "late\n", ""}},
		{"SIGPIPE has its usual effect", `yes | head -n 1; kill -PIPE $$`, outcome{141, "SIGPIPE", "y\n", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			rep := carry(t, shim.Spec{Argv: sh(c.script)}, &r)
			got := outcome{rep.Exit, rep.Signal, r.out.String(), r.err.String()}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if rep.Limit != "" || rep.Seconds <= 0 || rep.Survivors != 0 {
				t.Errorf("unexpected report: %+v", rep)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		script string // MARK is replaced
		limit  string
		signal string
	}{
		{"a command that obeys TERM", `exec sleep MARK`, "term", "SIGTERM"},
		{"a command that ends by itself on TERM", `trap "exit 7" TERM; sleep MARK & wait`, "term", ""},
		{"a tree that ignores TERM", `trap "" TERM; (sleep MARK; :) & sh -c 'while :; do :; done' MARK & while :; do sleep MARK; done`, "kill", "SIGKILL"},
		{"a daemon in its own session that ignores TERM", `trap "" TERM; (setsid sh -c 'sleep MARK & sleep MARK & wait' &); sleep 0.2; trap - TERM; exec sleep MARK`, "kill", "SIGTERM"},
		{"a stopped command", `sleep MARK & kill -STOP $$`, "term", "SIGTERM"},
		{"a command with children of a double fork", `( ( sleep MARK & ) & ); exec sleep MARK`, "term", "SIGTERM"},
	} {
		for _, contained := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s leaves nothing, contained=%v", c.name, contained), func(t *testing.T) {
				t.Parallel()
				mark := fmt.Sprintf("%d.%d", 1000+os.Getpid(), time.Now().UnixNano())
				spec := shim.Spec{Argv: sh(strings.ReplaceAll(c.script, "MARK", mark)), LimitMS: 700, GraceMS: 600, KeepLeftovers: true}
				argv := command(t, spec)
				if contained {
					argv = inContainer(t, argv)
				}
				rep := carryArgv(t, argv, new(recorder))
				if rep.Limit != c.limit || rep.Signal != c.signal || rep.Survivors != 0 || rep.LeftoverCount != 0 {
					t.Errorf("report: %+v", rep)
				}
				if rep.Seconds < 0.69 || rep.Seconds > 10 {
					t.Errorf("took %v s", rep.Seconds)
				}
				if left := marked(t, mark); len(left) > 0 {
					t.Errorf("still there: %v", left)
				}
			})
		}
	}
}

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

func TestLeftovers(t *testing.T) {
	t.Parallel()
	t.Run("a background child that holds the streams is ended", func(t *testing.T) {
		t.Parallel()
		mark := fmt.Sprintf("601.%d", time.Now().UnixNano())
		begin := time.Now()
		rep := carry(t, shim.Spec{Argv: sh("sleep " + mark + " & exit 5")}, new(recorder))
		if rep.Exit != 5 || rep.LeftoverCount != 1 || len(rep.Leftovers) != 1 || rep.Leftovers[0].Name != "sleep" || rep.Survivors != 0 {
			t.Errorf("report: %+v", rep)
		}
		if d := time.Since(begin); d > 10*time.Second {
			t.Errorf("took %v", d)
		}
		if left := marked(t, mark); len(left) > 0 {
			t.Errorf("still there: %v", left)
		}
	})
	t.Run("a leftover that prints for ever does not hold the report up", func(t *testing.T) {
		t.Parallel()
		rep := carry(t, shim.Spec{Argv: sh("setsid yes & exit 5"), Head: 10, Tail: 10}, new(recorder))
		if rep.Exit != 5 || rep.LeftoverCount != 1 || len(rep.Warnings) != 1 || rep.Warnings[0].Code != "drain_timeout" {
			t.Errorf("report: %+v", rep)
		}
	})
	t.Run("a kept daemon lives on and can print more than a pipe holds", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "done")
		rep := carry(t, shim.Spec{KeepLeftovers: true,
			Argv: sh(`setsid sh -c 'sleep 0.5; head -c 300000 /dev/zero && head -c 300000 /dev/zero >&2 && echo $? > ` + file + `' & exit 0`)}, new(recorder))
		if rep.LeftoverCount == 0 {
			t.Errorf("report: %+v", rep)
		}
		eventually(t, "the daemon's work", func() bool {
			b, _ := os.ReadFile(file)
			return string(b) == "0\n"
		})
	})
	t.Run("a kept daemon that does not hold the streams needs no drain", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		rep := carryArgv(t, inContainer(t, command(t, shim.Spec{KeepLeftovers: true,
			Argv: sh(`sleep 50 >/dev/null 2>&1 & cd ` + dir + `; exit 0`)})), new(recorder))
		if rep.LeftoverCount != 1 || len(rep.Warnings) != 0 {
			t.Errorf("report: %+v", rep)
		}
	})
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

func TestOrphansAreReaped(t *testing.T) {
	t.Parallel()
	// In a namespace of its own the count of zombies is the command's alone.
	argv := command(t, shim.Spec{LimitMS: 50_000, Argv: sh(
		`i=0; while [ $i -lt 500 ]; do (true &); i=$((i+1)); done
		n=1; while [ $n -gt 0 ]; do n=$(grep -ls '^State:.Z' /proc/[0-9]*/status | wc -l); done; echo none`)})
	var r recorder
	rep := carryArgv(t, inContainer(t, argv), &r)
	if r.out.String() != "none\n" || rep.Exit != 0 {
		t.Errorf("%q %+v", r.out.String(), rep)
	}
}

func TestForkBombsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		script string
		hops   int // how many processes must have come to be before the limit
	}{
		{"a tree of 300 processes", `i=0; while [ $i -lt 300 ]; do echo >> $0.hops; sleep MARK & i=$((i+1)); done; wait`, 300},
		{"processes that each start the next and end", `cat > $0.sh <<'X'
echo >> $0.hops
sh $0 MARK &
X
sh $0.sh MARK; exec sleep MARK`, 20},
		{"processes that each start the next in a new session", `cat > $0.sh <<'X'
echo >> $0.hops
setsid sh $0 MARK >/dev/null 2>&1 &
X
sh $0.sh MARK; exec sleep MARK`, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("%d.%d", 2000+os.Getpid(), time.Now().UnixNano())
			name := filepath.Join(t.TempDir(), "bomb")
			script := `trap "" TERM; ` + strings.ReplaceAll(c.script, "MARK", mark)
			spec := shim.Spec{Argv: append(sh(script), name), LimitMS: 1500, GraceMS: 200}
			rep := carryArgv(t, inContainer(t, command(t, spec)), new(recorder))
			if rep.Limit != "kill" || rep.Survivors != 0 {
				t.Errorf("report: %+v", rep)
			}
			if left := marked(t, mark); len(left) > 0 {
				t.Errorf("%d still there", len(left))
			}
			lines := 0
			for _, file := range []string{name + ".hops", name + ".sh.hops"} {
				b, _ := os.ReadFile(file)
				lines += bytes.Count(b, []byte("\n"))
			}
			if lines < c.hops {
				t.Errorf("the bomb went %d hops only", lines)
			}
		})
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

func TestTheHelperIsHardToReach(t *testing.T) {
	t.Parallel()
	t.Run("its command line does not show the command", func(t *testing.T) {
		t.Parallel()
		var r recorder
		rep := carry(t, shim.Spec{Argv: sh(`tr '\0' ' ' < /proc/$PPID/cmdline; : fingerprint`)}, &r)
		if rep.Exit != 0 || strings.Contains(r.out.String(), "fingerprint") || !strings.Contains(r.out.String(), "run") {
			t.Errorf("got %q", r.out.String())
		}
	})
	t.Run("polite signals do not end it", func(t *testing.T) {
		t.Parallel()
		var r recorder
		rep := carry(t, shim.Spec{Argv: sh(`for s in HUP INT TERM QUIT USR1 PIPE ALRM; do kill -$s $PPID; done; echo alive`)}, &r)
		if rep.Exit != 0 || r.out.String() != "alive\n" {
			t.Errorf("got %q %+v", r.out.String(), rep)
		}
	})
	t.Run("other users cannot write into its stream", func(t *testing.T) {
		t.Parallel()
		needRoot(t)
		var r recorder
		rep := carry(t, shim.Spec{User: "65534:65534", Argv: sh(`echo forged > /proc/$PPID/fd/1 || exit 9`)}, &r)
		if rep.Exit == 0 || r.out.Len() > 0 {
			t.Errorf("got %q %+v", r.out.String(), rep)
		}
	})
}

func TestLongSpecs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`ä"<`, 30_000)
	var r recorder
	argv := command(t, shim.Spec{Argv: []string{"printf", "%s", long}})
	if len(argv) < 4 {
		t.Fatalf("the spec has %d arguments only", len(argv))
	}
	carryArgv(t, argv, &r)
	if r.out.String() != long {
		t.Error("the argument did not arrive as it was")
	}
}
