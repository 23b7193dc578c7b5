package chaos_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// size is what a process must not gather from trial to trial.
type size struct{ goroutines, files, temps int }

// TestManyTrialsInOneProcess has one process do many trials and compares what it holds after the first few with what it holds at the end.
func TestManyTrialsInOneProcess(t *testing.T) {
	need(t)
	first := max(5, *trials/10)
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for i := range *trials {
		variant(t, filepath.Join(dir, fmt.Sprintf("t%03d", i)), fmt.Sprintf("case-%03d", i), "")
	}
	host, err := sidecar.FindHost(os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	id := "chaos-" + strings.ToLower(rand.Text()[:10])
	var done int
	var early, late size
	q := &orchestrator.Request{Paths: []string{dir}, RunsDir: t.TempDir(), RunID: id, Host: host, Tool: orchestrator.Tool{Name: "seatrial", Version: "test", Commit: "none"},
		Options: orchestrator.Options{Agent: orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, Lookup: os.LookupEnv},
		Guard:   func(id string) []string { return []string{shared.binary, "guard", id} },
		Tell: func(e orchestrator.Event) {
			if e.Kind != orchestrator.OnTrialFinished {
				return
			}
			switch done++; done {
			case first:
				early = measure(t, temp)
			case *trials:
				late = measure(t, temp)
			}
		}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	rec, _, err := orchestrator.Run(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Summary.Scored != *trials || rec.Summary.MeanScore == nil || *rec.Summary.MeanScore != 1 {
		t.Errorf("the trials did not all come to their score: %+v", rec.Summary)
	}
	t.Logf("after %d trials %+v, after %d %+v", first, early, *trials, late)
	// A few more or less are connections and timers on their way.
	if late.goroutines > early.goroutines+6 {
		t.Errorf("goroutines grew from %d to %d\n%s", early.goroutines, late.goroutines, stacks())
	}
	if late.files > early.files+4 {
		t.Errorf("open files grew from %d to %d: %v", early.files, late.files, openFiles())
	}
	if late.temps > early.temps {
		t.Errorf("temporary files grew from %d to %d", early.temps, late.temps)
	}
	gone(t, id, time.Second)
}

// measure counts once what has been let go of is gone.
func measure(t *testing.T, temp string) size {
	t.Helper()
	runtime.GC()
	s := size{goroutines: runtime.NumGoroutine(), files: len(openFiles())}
	err := filepath.WalkDir(temp, func(string, os.DirEntry, error) error { s.temps++; return nil })
	if err != nil {
		t.Error(err)
	}
	return s
}

func openFiles() []string {
	links, _ := filepath.Glob("/proc/self/fd/*")
	var out []string
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil {
			out = append(out, to)
		}
	}
	slices.Sort(out)
	return out
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
