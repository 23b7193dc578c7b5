package chaos_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// atOnce is how many runs are under way at the same time; they wait for the engine, or for a limit, most of the time.
const atOnce = 8

// setup is what all tests share.
type setup struct {
	binary string
	engine *client.Client
	socket string // the engine's
	slots  chan struct{}
	err    error // why there is no engine or no program
}

var shared setup

var (
	rounds = flag.Int("chaos.rounds", 20, "how many runs are killed")
	trials = flag.Int("chaos.trials", 40, "how many trials one process does")
	// A batch is killed while it runs; on CI a small one.
	attempts = flag.Int("chaos.attempts", 2, "how many trials each task of the batch has")
	restart  = flag.String("chaos.restart", "", "a `command` that restarts the engine, to be run in the middle of the batch")
	full     = flag.Bool("chaos.full", false, "every fault on every request instead of a sample")
	seed     = flag.Uint64("chaos.seed", 0, "repeats a run's choices; 0 = new ones")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", fmt.Sprint(atOnce)); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "seatrial-chaos-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("chaos: -chaos.seed=%d\n", *seed)
	shared.slots = make(chan struct{}, atOnce)
	within, cancel := context.WithTimeout(ctx, 10*time.Minute)
	shared.err = prepare(within, dir)
	cancel()
	m.Run()
	if shared.err == nil {
		removeSlow(ctx)
	}
}

// prepare finds the engine, builds the program and makes the base image and the tasks' images present.
func prepare(ctx context.Context, dir string) error {
	var err error
	shared.engine, err = client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	var ok bool
	if shared.socket, ok = strings.CutPrefix(shared.engine.DaemonHost(), "unix://"); !ok {
		return errors.New("the engine is not at a unix socket")
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := shared.engine.Ping(short); err != nil {
		return fmt.Errorf("no engine answers: %w", err)
	}
	shared.binary = os.Getenv("SEATRIAL_E2E_BINARY")
	if shared.binary == "" {
		shared.binary = filepath.Join(dir, "seatrial")
		for _, argv := range [][]string{{"sh", "sidecar/shim/build.sh"}, {"go", "build", "-o", shared.binary, "./cmd/seatrial"}} {
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0") // it serves the fakes in a container of its own
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%v: %w: %s", argv, err, out)
			}
		}
	}
	for _, argv := range [][]string{{"images", "base", "busybox"}, {"run", task("lone"), task("stack"), task("apart"), "--runs-dir", filepath.Join(dir, "first")}} {
		if out, err := exec.CommandContext(ctx, shared.binary, argv...).CombinedOutput(); err != nil {
			return fmt.Errorf("seatrial %v: %w: %s", argv, err, out)
		}
	}
	return nil
}

func task(name string) string { return filepath.Join("testdata", "tasks", name) }

// need ends a test that has no engine: it fails where one is promised, and is skipped elsewhere.
func need(t *testing.T) {
	t.Helper()
	if shared.err == nil {
		return
	}
	if os.Getenv("CI") == "true" || shared.binary != "" {
		t.Fatal(shared.err)
	}
	t.Skip(shared.err)
}

// slot waits until fewer than atOnce runs are under way; the function that it returns frees the place.
func slot() func() {
	shared.slots <- struct{}{}
	return sync.OnceFunc(func() { <-shared.slots })
}
