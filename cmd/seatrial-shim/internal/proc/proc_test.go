//go:build linux

package proc_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/proc"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	rest := " 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 1000 200\n"
	for _, c := range []struct {
		name string
		text string
		want proc.Process
		ok   bool
	}{
		{"plain", "42 (sh) S" + rest, proc.Process{PID: 42, Name: "sh", Parent: 10, Group: 20, Session: 30, Start: 777}, true},
		{"a name that looks like the line's end", "42 (a) Z 1 (b) S" + rest, proc.Process{PID: 42, Name: "a) Z 1 (b", Parent: 10, Group: 20, Session: 30, Start: 777}, true},
		{"a zombie", "42 () Z" + rest, proc.Process{PID: 42, Parent: 10, Group: 20, Session: 30, Start: 777, Dead: true}, true},
		{"a process whose first thread alone has ended", "42 (x) Z 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 777 1000 200",
			proc.Process{PID: 42, Name: "x", Parent: 10, Group: 20, Session: 30, Start: 777}, true},
		{"too short", "42 (sh) S 1 2 3", proc.Process{}, false},
		{"no name", "42 S" + rest, proc.Process{}, false},
		{"no number", "x (sh) S" + rest, proc.Process{}, false},
		{"nothing", "", proc.Process{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := proc.ParseStat([]byte(c.text))
			if d := cmp.Diff(c.want, got); d != "" || ok != c.ok {
				t.Errorf("%v (-want +got)\n%s", ok, d)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (sh) S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 1000 200\n"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := proc.ParseStat(b); !ok && p != (proc.Process{}) {
			t.Errorf("%+v", p)
		}
	})
}

func TestPick(t *testing.T) {
	t.Parallel()
	const self = 100
	before := []proc.Process{
		{PID: 1, Start: 1, Session: 1},
		{PID: 5, Parent: 1, Start: 2, Session: 5}, // a service
		{PID: self, Parent: 0, Start: 3, Session: self},
		{PID: 7, Parent: 1, Start: 2, Session: 7}, // ends, and its id comes again
	}
	now := []proc.Process{
		{PID: 1, Start: 1, Session: 1},
		{PID: 5, Parent: 1, Start: 2, Session: 5},
		{PID: self, Parent: 0, Start: 3, Session: self},
		{PID: 101, Parent: self, Start: 4, Session: 101},
		{PID: 102, Parent: 101, Start: 5, Session: 102},
		{PID: 103, Parent: 102, Start: 5, Session: 103, Dead: true},
		{PID: 104, Parent: self, Start: 6, Session: 101},
		{PID: 110, Parent: 5, Start: 7, Session: 110},    // the service's child
		{PID: 111, Parent: 1, Start: 7, Session: 5},      // the service's orphan
		{PID: 112, Parent: 0, Start: 7, Session: 112},    // came from outside
		{PID: 113, Parent: 112, Start: 7, Session: 112},  // its child
		{PID: 114, Parent: 1, Start: 8, Session: 114},    // an orphan of unknown origin
		{PID: 115, Parent: 114, Start: 8, Session: 114},  // its child
		{PID: 7, Parent: 1, Start: 9, Session: 116},      // an orphan with an old id
		{PID: 200, Parent: 200, Start: 9, Session: 200},  // a loop, which no kernel makes
		{PID: 201, Parent: 9999, Start: 9, Session: 201}, // its parent has just ended
	}
	for _, c := range []struct {
		name    string
		orphans bool
		want    []int
	}{
		{"descendants only", false, []int{101, 102, 103, 104}},
		{"orphans that came with the run too", true, []int{7, 101, 102, 103, 104, 114, 115}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []int
			for _, p := range proc.NewRun(self, c.orphans, before).Pick(now) {
				got = append(got, p.PID)
			}
			slices.Sort(got)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestKillSparesOthers(t *testing.T) {
	t.Parallel()
	spared := exec.CommandContext(t.Context(), "sleep", "300")
	if err := spared.Start(); err != nil {
		t.Fatal(err)
	}
	before, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	// This test's own process stands for the holder of both: only children of the leader belong to the run.
	leader := exec.CommandContext(t.Context(), "sh", "-c", "sleep 301 & sleep 302 & wait")
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	run := proc.NewRun(leader.Process.Pid, false, before)
	deadline := time.Now().Add(20 * time.Second)
	for len(run.Alive()) < 2 && time.Now().Before(deadline) {
	}
	if n := len(run.Alive()); n != 2 {
		t.Fatalf("%d processes", n)
	}
	if left := run.Kill(10 * time.Second); left != 0 {
		t.Errorf("%d left", left)
	}
	if proc.Held() && os.Getpid() != 1 {
		t.Error("process 1 is taken for the helper")
	}
	if err := spared.Process.Kill(); err != nil {
		t.Errorf("the spared process has gone: %v", err)
	}
	_ = leader.Wait()
	_ = spared.Wait()
}
