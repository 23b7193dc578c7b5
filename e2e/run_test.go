package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// runLimit is when a run counts as hung. It is killed then, and the test fails.
const runLimit = 2 * time.Minute

// ran is a run of the program that has ended.
type ran struct {
	id, dir        string
	code           int
	stdout, stderr string
	took           time.Duration
	record         runRecord
}

// trialDir is the folder of the run's only trial.
func (r *ran) trialDir(t *testing.T) string {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join(r.dir, "trials"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("want one trial's folder, have %v (%v)", dirs, err)
	}
	return filepath.Join(r.dir, "trials", dirs[0].Name())
}

// trial reads trial.json of the run's only trial.
func (r *ran) trial(t *testing.T) *trialRecord {
	t.Helper()
	var rec trialRecord
	readJSON(t, filepath.Join(r.trialDir(t), "trial.json"), &rec)
	return &rec
}

// only is the run's only case.
func (r *ran) only(t *testing.T) *caseRecord {
	t.Helper()
	if len(r.record.Cases) != 1 {
		t.Fatalf("want one case, have %d\n%s", len(r.record.Cases), r.stderr)
	}
	return &r.record.Cases[0]
}

// job is a run of the program under way.
type job struct {
	t       *testing.T
	cmd     *exec.Cmd
	id, dir string
	out     lockedBuffer
	err     lockedBuffer
	started time.Time
	exited  chan struct{}
	free    func()
}

// begin starts "seatrial run" with a run id and a runs folder of its own. It waits until fewer than atOnce others are under way.
func begin(t *testing.T, env []string, args ...string) *job {
	t.Helper()
	need(t)
	shared.slots <- struct{}{}
	var once sync.Once
	j := &job{t: t, id: "e2e-" + strings.ToLower(rand.Text()[:10]), exited: make(chan struct{}), free: func() { once.Do(func() { <-shared.slots }) }}
	runs := filepath.Join(t.TempDir(), "runs")
	j.dir = filepath.Join(runs, j.id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), runLimit)
	j.cmd = exec.CommandContext(ctx, shared.binary, append([]string{"run", "--runs-dir", runs, "--run-id", j.id}, args...)...)
	j.cmd.Env = append(os.Environ(), env...)
	j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.err
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	j.started = time.Now()
	if err := j.cmd.Start(); err != nil {
		j.free()
		cancel()
		t.Fatal(err)
	}
	go func() {
		defer close(j.exited)
		defer cancel()
		_ = j.cmd.Wait() // its state tells
		if ctx.Err() != nil {
			t.Errorf("run %s did not end within %s; it was killed\n%s", j.id, runLimit, j.err.String())
		}
	}()
	t.Cleanup(func() {
		_ = j.cmd.Process.Kill()
		<-j.exited
		j.free()
	})
	return j
}

// end waits for the run's end and reads its record, if there is one.
func (j *job) end() *ran {
	j.t.Helper()
	<-j.exited
	j.free()
	r := &ran{id: j.id, dir: j.dir, code: j.cmd.ProcessState.ExitCode(), stdout: j.out.String(), stderr: j.err.String(), took: time.Since(j.started)}
	file := filepath.Join(j.dir, "run.json")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return r
	}
	readJSON(j.t, file, &r.record)
	r.record.check(j.t)
	return r
}

// seatrialRun runs tasks to the end and sees that nothing of the run is left anywhere.
func seatrialRun(t *testing.T, args ...string) *ran {
	t.Helper()
	return seatrialRunWith(t, nil, args...)
}

// seatrialRunWith is seatrialRun with more variables in its environment.
func seatrialRunWith(t *testing.T, env []string, args ...string) *ran {
	t.Helper()
	r := begin(t, env, args...).end()
	clean(t, r.id)
	return r
}

// seatrial runs any verb.
func seatrial(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return seatrialWithin(t, runLimit, env, args...)
}

// seatrialWithin runs any verb, which may take its time.
func seatrialWithin(t *testing.T, limit time.Duration, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	need(t)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit) // a test's clean-up uses it too
	defer cancel()
	cmd := exec.CommandContext(ctx, shared.binary, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func (j *job) signal(s syscall.Signal) {
	j.t.Helper()
	if err := j.cmd.Process.Signal(s); err != nil {
		j.t.Fatal(err)
	}
}

// running says whether the run has not ended yet.
func (j *job) running() bool {
	select {
	case <-j.exited:
		return false
	default:
		return true
	}
}

// until looks again and again whether something has come true, for at most limit.
func until(t *testing.T, limit time.Duration, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); ; <-tick.C {
		if done() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

// lockedBuffer is a buffer that may be read while a process writes to it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// asUser runs shell lines as another user of this machine.
func asUser(t *testing.T, dir string, uid, gid uint32, lines string) (int, string) {
	t.Helper()
	shared.slots <- struct{}{}
	defer func() { <-shared.slots }()
	ctx, cancel := context.WithTimeout(t.Context(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", lines)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "DOCKER_HOST=" + shared.engine.DaemonHost()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
