//go:build linux

package main_test

import (
	"os"
	"testing"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestPressure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := carry(t, shim.Spec{Argv: sh("sleep 0.2"), Dir: dir}, new(recorder)).Pressure
	if p == nil || p.DiskFree == nil || p.LoadBefore == nil || p.LoadAfter == nil {
		t.Fatalf("%+v", p)
	}
	if _, err := os.ReadFile("/proc/pressure/cpu"); err == nil && (p.CPUWaitSec == nil || *p.CPUWaitSec < 0 || *p.CPUWaitSec > patience.Seconds()) {
		t.Errorf("waited for a processor: %v", p.CPUWaitSec)
	}
	if rep := carry(t, shim.Spec{Argv: []string{"/not-there"}}, new(recorder)); rep.Pressure != nil {
		t.Errorf("a command that never began: %+v", rep.Pressure)
	}
}
