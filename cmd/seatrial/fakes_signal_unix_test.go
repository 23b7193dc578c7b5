//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The sidecar is frozen by a signal, which costs an engine less than a command, and answers its control as before.
func TestFakesAreFrozenBySignal(t *testing.T) {
	dir, err := os.MkdirTemp("", "f")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	out, socket := filepath.Join(dir, "out"), filepath.Join(dir, "control.sock")
	url, _, _ := served(t, nil, manifests(), "--scenario", "open", "--listen", "127.0.0.1:0", "--out", out, "--control", socket)
	for range 2 { // the second changes nothing
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(out, "done.json")); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the signal did not complete the evidence")
			}
		}
	}
	if code, out, errs := verb(t, "", "call", url+"/mcp/shop", "get_item", `{"id":"item_1"}`); code == 0 {
		t.Errorf("a call after the signal had an effect: %s%s", out, errs)
	}
	if code, out, errs := verb(t, "", "control", "--socket", socket, "status"); code != 0 {
		t.Errorf("the control does not answer after the signal: %s%s", out, errs)
	}
}
