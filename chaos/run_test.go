package chaos_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// job is a run of the program.
type job struct {
	id, dir string
	cmd     *exec.Cmd
	log     lockedBuffer
	exited  chan struct{}
	began   time.Time
	took    time.Duration
}

// begin starts a run in a process group of its own. It is killed at the test's end, if it is still there then.
func begin(t *testing.T, env []string, args ...string) *job {
	t.Helper()
	id, runs := "chaos-"+strings.ToLower(rand.Text()[:10]), t.TempDir()
	return start(t, id, filepath.Join(runs, id), env, append([]string{"run", "--runs-dir", runs, "--run-id", id}, args...)...)
}

// start runs a command of the program that works on a run.
func start(t *testing.T, id, dir string, env []string, args ...string) *job {
	t.Helper()
	j := &job{id: id, dir: dir, exited: make(chan struct{}), began: time.Now()}
	j.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), shared.binary, args...)
	j.cmd.Env = append(os.Environ(), env...)
	j.cmd.Stdout, j.cmd.Stderr = &j.log, &j.log
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(j.exited)
		_ = j.cmd.Wait() // its state tells
		j.took = time.Since(j.began)
	}()
	t.Cleanup(func() {
		_ = j.cmd.Process.Kill()
		<-j.exited
		for _, pid := range guards(j.id) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return j
}

// end waits for the run's end, for at most limit.
func (j *job) end(t *testing.T, limit time.Duration) {
	t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-j.exited:
	case <-timer.C:
		_ = j.cmd.Process.Signal(syscall.SIGQUIT) // it says where it hangs
		<-j.exited
		t.Fatalf("the run did not end within %s\n%s", limit, j.log.String())
	}
}

func (j *job) code() int { return j.cmd.ProcessState.ExitCode() }

// record is the part of run.json that these tests ask for.
type record struct {
	Status string `json:"status"`
	Cases  []struct {
		outcome
		ID     string    `json:"id"`
		Trials []outcome `json:"trials"`
	} `json:"cases"`
	Leaks   []string `json:"leaks"`
	Retries int      `json:"engine_retries"`
}

// outcome is what a trial, or a case of one trial, came to.
type outcome struct {
	Trial  int      `json:"trial"`
	Status string   `json:"status"`
	Score  *float64 `json:"score"`
	Error  *fault   `json:"error"`
	Tries  []fault  `json:"tries"`
}

type fault struct {
	Code    string `json:"code"`
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

func (o outcome) String() string {
	out := o.Status
	if o.Score != nil {
		out += fmt.Sprintf(" %g", *o.Score)
	}
	if o.Error != nil {
		out += " " + o.Error.Code
	}
	return out
}

// record reads run.json; nil = the run did not come so far. What is there conforms to its schema, and so does every trial's record.
func (j *job) record(t *testing.T) *record {
	t.Helper()
	trials, err := filepath.Glob(filepath.Join(j.dir, "trials", "*", "trial.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range trials {
		conforms(t, "trial", f)
	}
	file := filepath.Join(j.dir, "run.json")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data := conforms(t, "run", file)
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return map[string]*jsonschema.Schema{"run": c.MustCompile("../docs/run.schema.json"), "trial": c.MustCompile("../docs/trial.schema.json")}
})

func conforms(t *testing.T, schema, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s is not JSON: %v\n%s", file, err, data)
	}
	if err := schemas()[schema].Validate(doc); err != nil {
		t.Errorf("%s does not conform: %v\n%s", file, err, data)
	}
	return data
}

// guards lists the process ids of a run's guard.
func guards(run string) []int {
	return pids(func(argv []string) bool { return slices.Equal(argv[1:], []string{"guard", run}) })
}

func pids(match func(argv []string) bool) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var out []int
	for _, f := range files {
		data, err := os.ReadFile(f)
		argv := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
		var pid int
		if err == nil && len(argv) > 1 && match(argv) {
			if err := json.Unmarshal([]byte(filepath.Base(filepath.Dir(f))), &pid); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// until looks again and again whether something has come true, for at most limit.
func until(t *testing.T, limit time.Duration, what string, done func() bool) bool {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); ; <-tick.C {
		if done() {
			return true
		}
		if time.Now().After(deadline) {
			t.Errorf("not within %s: %s", limit, what)
			return false
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
