package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// atOnce is how many runs the suite has under way at the same time.
const atOnce = 4

// setup is what all tests share.
type setup struct {
	binary string
	engine *client.Client
	slots  chan struct{}
	tasks  string // a folder that the behaviours' tasks are also written to
	err    error  // why there is no engine or no program
}

var shared setup

func TestMain(m *testing.M) {
	flag.StringVar(&shared.tasks, "tasks", "", "a `folder` to write the tasks of all behaviours to, so that they can be run by hand")
	flag.Parse()
	// Trials wait for the engine most of the time, so there may be more of them than processors.
	if err := flag.Set("test.parallel", fmt.Sprint(2*atOnce)); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "seatrial-e2e-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	shared.slots = make(chan struct{}, atOnce)
	shared.err = prepare(ctx, dir)
	m.Run()
}

// prepare finds the engine, builds the program and makes the base image present.
func prepare(ctx context.Context, dir string) error {
	var err error
	shared.engine, err = client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := shared.engine.Ping(short); err != nil {
		return fmt.Errorf("no engine answers: %w", err)
	}
	shared.binary = os.Getenv("SEATRIAL_E2E_BINARY")
	if shared.binary == "" {
		shared.binary = filepath.Join(dir, "seatrial")
		if err := build(ctx, shared.binary); err != nil {
			return err
		}
	}
	out, err := exec.CommandContext(ctx, shared.binary, "images", "base", "busybox").CombinedOutput()
	if err != nil {
		return fmt.Errorf("seatrial images base busybox: %w: %s", err, out)
	}
	return nil
}

// build makes the helper and the program as the Makefile does.
func build(ctx context.Context, binary string) error {
	for _, argv := range [][]string{{"sh", "sidecar/shim/build.sh"}, {"go", "build", "-o", binary, "./cmd/seatrial"}} {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0") // it serves the fakes in a container of its own
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", argv, err, out)
		}
	}
	return nil
}

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
