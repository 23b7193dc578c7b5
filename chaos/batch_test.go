package chaos_test

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

// TestABatchComesToTheSameWhateverHappens runs a batch twice, beside each other: undisturbed, and killed three times and gone on with, with sidecars killed. Where
// a command is given that restarts the engine, that happens too, and the undisturbed one is over before. What both come to is the same for
// healthy tasks; of others it is told what happened.
func TestABatchComesToTheSameWhateverHappens(t *testing.T) {
	need(t)
	tasks := batchTasks(t)
	args := []string{tasks, "-n", "4", "--overcommit", "0", "-k", fmt.Sprint(*attempts), "--agent-timeout", "5s", "--max-retries", "3"}
	planned := (healthy + 3) * *attempts
	quiet := begin(t, nil, args...)
	if *restart != "" {
		quiet.end(t, batchLimit()) // it would be disturbed, too
	}
	j := begin(t, nil, args...)
	for leg := 1; leg <= 3; leg++ {
		if leg == 2 && *restart != "" {
			j.reach(t, planned*3/8)
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", *restart).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", *restart, err, out)
			}
		}
		j.reach(t, planned*leg/4)
		_ = j.cmd.Process.Signal(syscall.SIGKILL)
		<-j.exited
		j = resume(t, j)
	}
	j.end(t, batchLimit())
	for range 3 { // what lost its sidecar to us is incomplete, and is run by going on
		if j.code() != 3 {
			break
		}
		j = resume(t, j)
		j.end(t, batchLimit())
	}
	quiet.end(t, batchLimit())
	want, got := outcomes(t, quiet), outcomes(t, j)
	if len(want) != planned {
		t.Fatalf("%d trials: %v\n%s", len(want), want, quiet.log.String())
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if strings.HasPrefix(id, "healthy-") && want[id] != "complete 1" {
			t.Errorf("%s undisturbed came to %s", id, want[id])
		}
		switch {
		case got[id] == "":
			t.Errorf("%s is missing", id)
		case got[id] == want[id]:
		case strings.HasPrefix(id, "healthy-"):
			t.Errorf("%s: %s, undisturbed %s", id, got[id], want[id])
		case got[id] == "incomplete", want[id] == "incomplete":
			t.Errorf("%s: %q, undisturbed %q: a fault without a name", id, got[id], want[id])
		default: // what a task does to its own container may come out one way or another, if it is told
			t.Logf("%s: %s, undisturbed %s", id, got[id], want[id])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d trials, undisturbed %d", len(got), len(want))
	}
	if t.Failed() {
		t.Log(j.log.String())
	}
	gone(t, j.id, swept)
	gone(t, quiet.id, swept)
}

// batchLimit is how long a batch may take: a trial a second, and half a minute for the limits that are run into.
func batchLimit() time.Duration {
	return time.Duration((healthy+3)**attempts)*3*time.Second + 2*time.Minute
}

// resume goes on with a run whose process has ended.
func resume(t *testing.T, j *job) *job {
	t.Helper()
	return start(t, j.id, j.dir, nil, "run", "--resume", j.dir)
}

// reach waits until so many trials have their record, or the run ends, and kills a sidecar meanwhile after every 20 of them.
func (j *job) reach(t *testing.T, count int) {
	t.Helper()
	next := j.trials(t)
	until(t, batchLimit(), fmt.Sprintf("%d trials have ended", count), func() bool {
		n := j.trials(t)
		if n >= next {
			if j.killSidecar(t) {
				next = n + 20
			}
		}
		return n >= count || ended(j)
	})
}

func (j *job) trials(t *testing.T) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(j.dir, "trials", "*", "trial.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// killSidecar kills one that runs, if there is one.
func (j *job) killSidecar(t *testing.T) bool {
	t.Helper()
	of := filters.NewArgs(filters.Arg("label", "dev.seatrial.run="+j.id), filters.Arg("label", "dev.seatrial.service=beside"))
	list, err := shared.engine.ContainerList(t.Context(), container.ListOptions{Filters: of})
	if err != nil || len(list) == 0 {
		return false // the engine may be starting
	}
	return shared.engine.ContainerKill(t.Context(), list[0].ID, "KILL") == nil
}

// outcomes are what the trials of a run came to: status, error code and score by case and number. Each is there once.
func outcomes(t *testing.T, j *job) map[string]string {
	t.Helper()
	r := j.record(t)
	if r == nil {
		t.Fatalf("no record: %s", j.log.String())
	}
	out := map[string]string{}
	for _, c := range r.Cases {
		trials := c.Trials
		if len(trials) == 0 {
			trials = []outcome{c.outcome}
		}
		for _, o := range trials {
			id := fmt.Sprintf("%s/%d", c.ID, o.Trial)
			if out[id] != "" {
				t.Errorf("%s is recorded twice", id)
			}
			out[id] = o.String()
			for _, try := range o.Tries {
				t.Logf("%s: an earlier try: %s in %s: %s", id, try.Code, try.Phase, try.Message)
			}
		}
	}
	return out
}
