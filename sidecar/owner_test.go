package sidecar_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
)

func TestOwnersAreReadAsTheyAreWritten(t *testing.T) {
	for _, o := range []sidecar.Owner{sidecar.Self(), owner, {Host: "a.b-c", Boot: "-", NS: "-", PID: 1}} {
		got, ok := sidecar.ParseOwner(o.String())
		if !ok || got != o {
			t.Errorf("%q was read as %+v, %v", o, got, ok)
		}
	}
}

func TestBrokenOwnersAreRefused(t *testing.T) {
	for _, s := range []string{"", "a", "a/b/c/d/e", "a/b/c/0/e", "a/b/c/-1/e", "a/b/c/1/e/f", "a/b/c/99999999999999999999/e", "////"} {
		if o, ok := sidecar.ParseOwner(s); ok {
			t.Errorf("%q was read as %+v", s, o)
		}
	}
}

func FuzzParseOwner(f *testing.F) {
	f.Add("h/b/1/2/3")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		o, ok := sidecar.ParseOwner(s)
		if !ok {
			return
		}
		if again, ok := sidecar.ParseOwner(o.String()); !ok || again != o || o.PID <= 0 {
			t.Errorf("%q: %+v, then %+v", s, o, again)
		}
	})
}

func TestLiveness(t *testing.T) {
	self := sidecar.Self()
	changed := func(f func(*sidecar.Owner)) sidecar.Owner {
		o := self
		f(&o)
		return o
	}
	for _, c := range []struct {
		name  string
		owner sidecar.Owner
		want  sidecar.Liveness
	}{
		{"this process lives", self, sidecar.Alive},
		{"its parent lives", changed(func(o *sidecar.Owner) { *o = parent(t) }), sidecar.Alive},
		{"another host's process cannot be judged", changed(func(o *sidecar.Owner) { o.Host = "elsewhere" }), sidecar.Unknown},
		{"another host's cannot be judged by its boot either", changed(func(o *sidecar.Owner) { o.Host, o.Boot = "elsewhere", "x" }), sidecar.Unknown},
		{"a process from before the boot is dead", changed(func(o *sidecar.Owner) { o.Boot = "earlier" }), sidecar.Dead},
		{"another container's process cannot be judged", changed(func(o *sidecar.Owner) { o.NS = "1" }), sidecar.Unknown},
		{"a process id that was given again is dead", changed(func(o *sidecar.Owner) { o.Start = "1" }), sidecar.Dead},
		{"a process without a start time is dead", changed(func(o *sidecar.Owner) { o.Start = "" }), sidecar.Dead},
		{"a process that has ended is dead", changed(func(o *sidecar.Owner) { o.PID = ended(t) }), sidecar.Dead},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.owner.Alive(self); got != c.want {
				t.Errorf("liveness %d, want %d", got, c.want)
			}
		})
	}
}

// parent is the owner that the parent of this process would be.
func parent(t *testing.T) sidecar.Owner {
	t.Helper()
	o := sidecar.Self()
	o.PID = os.Getppid()
	o.Start = sidecar.StartTime(o.PID)
	if o.Start == "" {
		t.Fatal("the parent has no start time")
	}
	return o
}

// ended is the id of a process that has been and is no more.
func ended(t *testing.T) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
