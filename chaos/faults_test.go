package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/faultproxy"
)

// callLimit is what the engine's silence is bounded by in these tests.
const callLimit = 2500 * time.Millisecond

// ending bounds a run: a teardown may take a minute, and what it waits for before that some limits and tries.
const ending = 110 * time.Second

// attack is a fault on the requests of one kind.
type attack struct {
	kind  faultproxy.Kind
	times int // 1 = the first of them; 0 = all
	fault faultproxy.Fault
}

func (a attack) String() string {
	which := "every"
	if a.times == 1 {
		which = "the first"
	}
	return fmt.Sprintf("%s %s is %s", which, a.kind, a.fault)
}

// passing says whether a trial must come to its score in spite of the attack: one request is hit, and asking again, or looking what became of it, is
// enough. What starts a command is never asked again.
func (a attack) passing() bool {
	switch {
	case a.fault.What == faultproxy.Delayed, a.fault.What == faultproxy.Duplicated:
		return true
	case a.times != 1, a.fault.What == faultproxy.Dead, a.kind == faultproxy.ExecStart, a.kind == faultproxy.Build:
		return false
	case a.fault.What == faultproxy.Answered && (a.fault.Status == 404 || a.fault.Status == 409):
		return false // an answer like any other
	}
	return true
}

func faults() []faultproxy.Fault {
	out := []faultproxy.Fault{
		{What: faultproxy.Delayed, After: 700 * time.Millisecond}, {What: faultproxy.DroppedBefore}, {What: faultproxy.DroppedAfter},
		{What: faultproxy.Truncated, Bytes: 1}, {What: faultproxy.Truncated, Bytes: 600}, {What: faultproxy.Stalled, Bytes: 1}, {What: faultproxy.Duplicated},
		{What: faultproxy.AnsweredAfter, Status: 500}, {What: faultproxy.Hung}, {What: faultproxy.HungAfter}, {What: faultproxy.Dead},
	}
	for _, status := range []int{404, 409, 429, 500, 503} {
		out = append(out, faultproxy.Fault{What: faultproxy.Answered, Status: status})
	}
	return out
}

// attacks are all faults on all requests that a trial makes, once and always, or a sample of them.
func attacks(kinds []faultproxy.Kind) []attack {
	var out []attack
	for _, k := range kinds {
		for _, f := range faults() {
			out = append(out, attack{k, 1, f})
			if f.What != faultproxy.Dead {
				out = append(out, attack{k, 0, f})
			}
		}
	}
	if *full {
		return out
	}
	r := rand.New(rand.NewPCG(*seed, 1))
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slow := 0
	out = slices.DeleteFunc(out, func(a attack) bool {
		if a.slow() {
			slow++
		}
		return a.slow() && slow > 2
	})
	return out[:len(out)/10]
}

// slow says whether a teardown will use all of its minute.
func (a attack) slow() bool {
	return a.fault.What == faultproxy.Dead || a.times == 0 && (strings.HasSuffix(string(a.kind), "-list") || strings.HasSuffix(string(a.kind), "-remove"))
}

func TestFaultsOfTheEngine(t *testing.T) {
	need(t)
	t.Parallel()
	for _, name := range []string{"lone", "stack", "apart"} {
		kinds, commands := requests(t, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range attacks(kinds) {
				t.Run(a.String(), func(t *testing.T) {
					t.Parallel()
					defer slot()()
					underAttack(t, task(name), commands, a)
				})
			}
		})
	}
}

// requests are the kinds that a run makes, a removal included, and how many commands it starts.
func requests(t *testing.T, name string) (kinds []faultproxy.Kind, commands int) {
	t.Helper()
	p := proxy(t)
	j := begin(t, []string{"DOCKER_HOST=" + p.Address()}, task(name))
	j.end(t, ending)
	if r := j.record(t); r == nil || len(r.Cases) != 1 || r.Cases[0].Score == nil || *r.Cases[0].Score != 1 {
		t.Fatalf("the task does not work without faults: %s", j.log.String())
	}
	seen := p.Seen()
	t.Logf("%s: %v", name, seen)
	var out []faultproxy.Kind
	for k := range seen {
		out = append(out, k)
	}
	slices.Sort(out)
	return out, seen[faultproxy.ExecStart]
}

func proxy(t *testing.T, rules ...faultproxy.Rule) *faultproxy.Proxy {
	t.Helper()
	p, err := faultproxy.New(filepath.Join(t.TempDir(), "s"), shared.socket, rules...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// underAttack runs a task, and sees that it ends, tells the truth and leaves nothing.
func underAttack(t *testing.T, path string, commands int, a attack) {
	t.Helper()
	p := proxy(t, faultproxy.Rule{Kind: a.kind, Times: a.times, Fault: a.fault})
	j := begin(t, []string{"DOCKER_HOST=" + p.Address(), "SEATRIAL_CALL_LIMIT=" + callLimit.String()}, path,
		"--build-timeout", "15s", "--agent-timeout", "5s", "--verifier-timeout", "5s")
	j.end(t, ending)
	t.Logf("%s, exit code %d", j.took.Round(100*time.Millisecond), j.code())
	p.Rules()
	told(t, j, a)
	if n := p.Passed()[faultproxy.ExecStart]; n > commands && a.fault.What != faultproxy.Duplicated {
		t.Errorf("commands were started %d times", n)
	}
	if a.fault.What == faultproxy.Dead {
		sweep(t, j.id) // its guard waits for an engine at an address where none will be
	}
	gone(t, j.id, 15*time.Second)
}

// told sees that the record, or the exit code where there is none, is right.
func told(t *testing.T, j *job, a attack) {
	t.Helper()
	r := j.record(t)
	switch {
	case r == nil && j.code() == 4 && !a.passing():
		return // the engine was unusable from the start
	case r == nil:
		t.Errorf("there is no record, exit code %d\n%s", j.code(), j.log.String())
		return
	case r.Status != "finished" || len(r.Cases) != 1:
		t.Fatalf("the run is %s with %d cases\n%s", r.Status, len(r.Cases), j.log.String())
	}
	c := r.Cases[0]
	switch {
	case c.Status == "complete" && (c.Score == nil || *c.Score != 1 || c.Error != nil):
		t.Errorf("the score has changed: %+v\n%s", c, j.log.String())
	case c.Status == "complete":
	case c.Score != nil || c.Error == nil:
		t.Errorf("an incomplete case has a score, or no reason: %+v", c)
	case c.Error.Code == "sidecar_failed" && a.fault.What == faultproxy.Answered && a.fault.Status < 429: // the engine refused to make it
	case !slices.Contains([]string{"setup_failed", "setup_timeout", "sandbox_lost", "internal"}, c.Error.Code):
		t.Errorf("the engine's fault is told as %s in %s: %s", c.Error.Code, c.Error.Phase, c.Error.Message)
	}
	if c.Error != nil {
		t.Logf("%s in %s: %s", c.Error.Code, c.Error.Phase, c.Error.Message)
	}
	if a.passing() {
		if c.Status != "complete" || j.code() != 0 {
			t.Errorf("the trial does not come to its score, exit code %d: %s", j.code(), strings.TrimSpace(j.log.String()))
		}
		if len(r.Leaks) > 0 {
			t.Errorf("leaks: %v", r.Leaks)
		}
	}
	if (len(r.Leaks) > 0) != (j.code() == 5) {
		t.Errorf("exit code %d with leaks %v", j.code(), r.Leaks)
	}
}
