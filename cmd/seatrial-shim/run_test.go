//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	t.Run("its own user cannot write into its stream without the right to trace", func(t *testing.T) {
		t.Parallel()
		needRoot(t)
		inner := command(t, shim.Spec{Argv: sh(`echo forged > /proc/$PPID/fd/1 || exit 9`)})
		var outer, r recorder
		carry(t, shim.Spec{User: "54321:54321", Argv: inner}, &outer)
		rep, err := shim.Read(&outer.out, &r)
		if err != nil || rep.Exit == 0 || r.out.Len() > 0 {
			t.Errorf("got %q %+v, %v", r.out.String(), rep, err)
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
