package server_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/server"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

func TestWhatCannotBeStarted(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, change := range map[string]func(*server.Config){
		"a scenario that is not there":     func(c *server.Config) { c.Scenario = "closed" },
		"a server that is not there":       func(c *server.Config) { c.Servers = []string{"shoe"} },
		"a folder that is not there":       func(c *server.Config) { c.Manifests = "nowhere" },
		"a folder without declarations":    func(c *server.Config) { c.Manifests = t.TempDir() },
		"a port that is taken":             func(c *server.Config) { c.Listen = taken.Addr().String() },
		"a control socket in no folder":    func(c *server.Config) { c.Control = "/nowhere/control.sock" },
		"a folder of evidence that is old": func(c *server.Config) { old(t, c.Out) },
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			change(&c)
			if _, err := server.Start(t.Context(), c, nil, nil); err == nil {
				t.Error("it was started")
			}
		})
	}
	t.Run("problems have a place", func(t *testing.T) {
		c := config(t)
		c.Manifests = t.TempDir()
		if err := os.MkdirAll(filepath.Join(c.Manifests, "shop"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.Manifests, "shop", "fake.toml"), []byte("name = \"shop\"\nprotocol = 7\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := server.Start(t.Context(), c, nil, nil)
		var problems spec.Problems
		if !errors.As(err, &problems) || len(problems) == 0 || problems[0].Line == 0 {
			t.Errorf("got %v", err)
		}
	})
}

func old(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, evidence.DoneFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
}
