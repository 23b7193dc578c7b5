package orchestrator_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

func TestRunsNeverShareAFolder(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	made, refused := 0, 0
	for range 20 {
		wg.Go(func() {
			f, err := orchestrator.CreateFolder(dir, "same")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			made++
			f.Close()
		})
	}
	wg.Wait()
	if made != 1 || refused != 19 {
		t.Errorf("%d made, %d refused", made, refused)
	}
}

func TestTrialsNeverShareAFolder(t *testing.T) {
	f, err := orchestrator.CreateFolder(t.TempDir(), "r")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	one, err := f.Trial("x", false)
	if err != nil {
		t.Fatal(err)
	}
	one.Close()
	if _, err := f.Trial("x", false); err == nil {
		t.Error("the same folder was given twice")
	}
}

func TestRunIDs(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 5, 6, 0, time.FixedZone("", 3600))
	seen := map[string]bool{}
	for range 300 {
		id := orchestrator.NewRunID(now)
		if seen[id] || !strings.HasPrefix(id, "20261130T130506Z-") {
			t.Fatalf("run id %q, seen before: %v", id, seen[id])
		}
		seen[id] = true
	}
	for _, c := range []struct {
		name, id string
		ok       bool
	}{
		{"one of our own", orchestrator.NewRunID(now), true},
		{"capitals and dots", "Nightly.2026-11_30", true},
		{"a path", "../up", false},
		{"a slash", "a/b", false},
		{"a hidden folder", ".x", false},
		{"a blank", "a b", false},
		{"nothing", "", false},
		{"a letter of another alphabet", "ü", false},
		{"too long", strings.Repeat("x", 129), false},
		{"as long as may be", strings.Repeat("x", 128), true},
		{"a flag's look", "-x", false},
		{"a control character", "a\x1bb", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := orchestrator.CreateFolder(t.TempDir(), c.id)
			if (err == nil) != c.ok {
				t.Errorf("%q: %v", c.id, err)
			}
			if err == nil {
				f.Close()
			}
		})
	}
}
