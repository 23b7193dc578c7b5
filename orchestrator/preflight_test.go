package orchestrator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// composed makes a task with a compose file and a file that it may bind.
func composed(t *testing.T, compose string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"task.toml": "[metadata]\n", "instruction.md": "Do it.\n", "tests/test.sh": "#!/bin/sh\n", "solution/solve.sh": "#!/bin/sh\n",
		"environment/Dockerfile": "FROM busybox\n", "environment/docker-compose.yaml": compose, "environment/data/x": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBindsAreRefusedWhereTheEngineIsElsewhere(t *testing.T) {
	bind := "services:\n  main:\n    volumes:\n      - ./data:/data:ro\n"
	for _, c := range []struct {
		name, compose, address string
		refused                bool
	}{
		{"a bind for ssh", bind, "ssh://nobody@127.0.0.1:1", true},
		{"a bind for tcp", bind, "tcp://127.0.0.1:1", true},
		{"a bind of a sidecar", "services:\n  main: {}\n  db:\n    image: busybox\n    volumes: [\"./data:/data:ro\"]\n", "tcp://127.0.0.1:1", true},
		{"a bind for a socket", bind, "unix:///nonexistent", false},
		{"a volume for tcp", "services:\n  main:\n    volumes: [\"v:/data\"]\nvolumes:\n  v: {}\n", "tcp://127.0.0.1:1", false},
		{"a tmpfs for tcp", "services:\n  main:\n    tmpfs: [\"/data\"]\n", "tcp://127.0.0.1:1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := composed(t, c.compose)
			q := &orchestrator.Request{Paths: []string{dir}, RunsDir: t.TempDir(), Host: sidecar.Host{Address: c.address, Source: "test"},
				Options: orchestrator.Options{Agent: orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, Lookup: os.LookupEnv}}
			_, _, err := orchestrator.Run(t.Context(), q)
			var u *orchestrator.UnsupportedError
			var e *sidecar.UnusableError
			switch {
			case c.refused && (!errors.As(err, &u) || !strings.Contains(err.Error(), filepath.Join(dir, "environment", "data")) || !strings.Contains(err.Error(), c.address)):
				t.Errorf("%v, want an *UnsupportedError with the path and the engine", err)
			case c.refused && orchestrator.ExitCodeOf(t.Context(), err) != orchestrator.ExitUsage:
				t.Errorf("exit code %d", orchestrator.ExitCodeOf(t.Context(), err))
			case !c.refused && !errors.As(err, &e):
				t.Errorf("%v, want to get as far as the engine", err)
			}
		})
	}
}

func TestTooLittleSpaceIsTheMachinesFault(t *testing.T) {
	err := &sidecar.SpaceError{What: "the runs folder", Path: "/x", Free: 1, Want: 2}
	if got := orchestrator.ExitCodeOf(t.Context(), err); got != orchestrator.ExitEngine {
		t.Errorf("exit code %d", got)
	}
}

func TestLimitsThatDoNotHoldAreTold(t *testing.T) {
	limited := "services:\n  main:\n    mem_limit: 64m\n    cpus: 1\n"
	all := []sidecar.Resource{sidecar.Memory, sidecar.CPUs, sidecar.Processes}
	for _, c := range []struct {
		name, compose string
		loose         []sidecar.Resource
		want          string
	}{
		{"limits of which none holds", limited, all, "limits on memory, cpus,"},
		{"limits of which one does not hold", limited, []sidecar.Resource{sidecar.CPUs}, "limits on cpus,"},
		{"limits that hold", limited, nil, ""},
		{"no limits", "services:\n  main: {}\n", all, ""},
		{"a limit on processes", "services:\n  main:\n    pids_limit: 64\n", all, "limits on processes,"},
	} {
		t.Run(c.name, func(t *testing.T) {
			jobs, err := orchestrator.Plans(t.Context(), []string{composed(t, c.compose)}, &orchestrator.Options{Agent: orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, Lookup: os.LookupEnv})
			if err != nil || jobs[0].Err != nil {
				t.Fatal(err, jobs)
			}
			orchestrator.WarnLoose(jobs, sidecar.Info{Loose: c.loose})
			got := ""
			for _, w := range jobs[0].Plan.Warnings {
				if w.Code == "limits_not_enforced" {
					got = w.Message
				}
			}
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
