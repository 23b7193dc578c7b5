package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/volume"

	"github.com/seatrial/seatrial/internal/leftover"
)

// kept runs a task whose stack stays, and is removed at the test's end.
func kept(t *testing.T, args ...string) *ran {
	t.Helper()
	j := begin(t, nil, append([]string{"--keep", "always"}, args...)...)
	t.Cleanup(func() {
		_, _, _ = seatrial(t, nil, "gc", "--run", j.id)
		clean(t, j.id)
	})
	r := j.end()
	if r.code != 0 || !r.trial(t).Kept {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	return r
}

// frozen sees that all of a run's containers are.
func frozen(t *testing.T, id string) {
	t.Helper()
	for service, state := range states(t, id) {
		if state != container.StatePaused {
			t.Errorf("service %s is %s", service, state)
		}
	}
}

func TestACommandInAKeptStack(t *testing.T) {
	t.Parallel()
	r := kept(t, newTask(t, "task", web))
	trial := r.trialDir(t)
	code, out, errs := enters(t, "typed\n", filepath.Join(r.dir, filepath.Base(trial)), "--", "sh", "-c", "cat; ls /app; pwd; echo hm >&2; exit 42")
	if code != 42 || out != "typed\nok\n/app\n" || errs != "hm\n" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	frozen(t, r.id)
	if code, out, errs := enters(t, "", trial, "--service", "web", "--", "wget", "-q", "-O", "-", "http://127.0.0.1/x"); code != 0 || out != "hello\n" {
		t.Errorf("the sidecar does not go on: exit code %d, %q, %q", code, out, errs)
	}
	if code, out, errs := enters(t, "", trial, "--user", "12345", "--", "id", "-u"); code != 0 || out != "12345\n" {
		t.Errorf("another user: exit code %d, %q, %q", code, out, errs)
	}
	if code, _, errs := enters(t, "", trial, "--service", "wbe", "--", "true"); code != 2 || !strings.Contains(errs, "did you mean web?") {
		t.Errorf("a service that is not there: exit code %d, %q", code, errs)
	}
	if code, _, _ := enters(t, "", trial, "--", "no-such-program"); code != 126 && code != 127 {
		t.Errorf("a program that is not there: exit code %d", code)
	}
	frozen(t, r.id)
	if code, _, errs := enters(t, "", trial, "--leave-running", "--", "true"); code != 0 || !strings.Contains(errs, "left running") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	if s := states(t, r.id); s["main"] != container.StateRunning || s["web"] != container.StateRunning {
		t.Errorf("it was not left running: %v", s)
	}
	if _, out, _ := seatrial(t, nil, "gc", "-n"); !strings.Contains(out, "of run "+r.id+", since ") || !strings.Contains(out, "(running)") {
		t.Errorf("gc -n:\n%s", out)
	}
	if code, _, errs := enters(t, "", trial, "--", "true"); code != 0 {
		t.Errorf("exit code %d, %q", code, errs)
	}
	frozen(t, r.id)
}

func TestAShellInAKeptStack(t *testing.T) {
	t.Parallel()
	r := kept(t, newTask(t, "task", ""))
	s := sit(t, "enter", r.trialDir(t))
	until(t, 10*time.Second, "the shell knows the terminal's size", func() bool { return strings.Contains(s.does("stty size"), "30 100") })
	if out := s.does("ls /app /logs/verifier"); !strings.Contains(out, "ok") || !strings.Contains(out, "reward.json") {
		t.Errorf("the shell says %q", out)
	}
	// A second one, beside the first: only the last one out freezes the stack.
	if code, _, errs := enters(t, "", r.trialDir(t), "--", "true"); code != 0 || !strings.Contains(errs, "left running") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	s.does("true")
	s.types("exit 5\r")
	if code := s.end(); code != 5 {
		t.Errorf("exit code %d\n%s", code, s.seen.String())
	}
	frozen(t, r.id)
}

func TestTheTestsOwnStackIsEntered(t *testing.T) {
	t.Parallel()
	r := kept(t, demo(t, "separate"))
	for _, service := range []string{"main", "verifier/main"} {
		if code, _, errs := enters(t, "", r.trialDir(t), "--service", service, "--", "true"); code != 0 {
			t.Errorf("%s: exit code %d, %q", service, code, errs)
		}
	}
	frozen(t, r.id)
}

func TestWhatIsNotKeptCannotBeEntered(t *testing.T) {
	t.Parallel()
	never := seatrialRun(t, newTask(t, "task", ""))
	if code, _, errs := enters(t, "", never.trialDir(t), "--", "true"); code != 2 || !strings.Contains(errs, "run without --keep") || !strings.Contains(errs, "seatrial repro") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	once := kept(t, newTask(t, "task", ""))
	if code, _, errs := seatrial(t, nil, "gc", "--trial", once.trial(t).TrialID); code != 0 {
		t.Errorf("gc: exit code %d, %q", code, errs)
	}
	if code, _, errs := enters(t, "", once.trialDir(t), "--", "true"); code != 2 || !strings.Contains(errs, "it was kept until") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestKeptStacksAreListedUntilTheirTimeIsOver(t *testing.T) {
	t.Parallel()
	r := kept(t, "--keep-for", "30h", newTask(t, "task", ""))
	tr := r.trial(t)
	if _, out, _ := seatrial(t, nil, "gc", "-n"); !strings.Contains(out, "kept trial "+tr.TrialID+" of run "+r.id+", since ") || !strings.Contains(out, "(frozen)") {
		t.Errorf("gc -n:\n%s", out)
	}
	if code, _, _ := seatrial(t, nil, "gc"); code != 0 || len(containers(t, r.id)) != 1 {
		t.Errorf("gc removed what is still to be kept: exit code %d", code)
	}
	// Another, whose time was over long ago; whoever made it.
	run := "e2e-over-" + randomID()
	labels := map[string]string{leftover.Label: run, "dev.seatrial.trial": run + "-t", "dev.seatrial.owner": "elsewhere/b/1/1/1"}
	c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sleep", "600"}, Labels: labels}, &container.HostConfig{NetworkMode: "none"}, nil, nil, run+"-kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = seatrial(t, nil, "gc", "--run", run) })
	labels["dev.seatrial.kept-since"], labels["dev.seatrial.kept-until"] = "2020-01-01T00:00:00Z", "2020-01-04T00:00:00Z"
	if _, err := shared.engine.VolumeCreate(t.Context(), volume.CreateOptions{Name: run + "-note", Labels: labels}); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := seatrial(t, nil, "gc"); code != 0 {
		t.Errorf("gc: exit code %d\n%s%s", code, out, errs)
	}
	cleanSoon(t, run, 10*time.Second)
	if there(t, c.ID) {
		t.Error("a stack whose time is over is still there")
	}
}

func TestAKeptStackOfAStackIsWhole(t *testing.T) {
	t.Parallel()
	r := kept(t, newTask(t, "task", web))
	// The network between the services is there again when the stack goes on.
	code, out, errs := enters(t, "", r.trialDir(t), "--", "wget", "-q", "-O", "-", "http://web/x")
	if code != 0 || out != "hello\n" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if _, out, _ := seatrial(t, nil, "gc", "--run", r.id, "--dry-run"); strings.Count(out, "would remove") < 3 {
		t.Errorf("gc --dry-run: %s", fmt.Sprint(out))
	}
}
