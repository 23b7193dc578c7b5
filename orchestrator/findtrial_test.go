package orchestrator_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
)

func TestFindTrial(t *testing.T) {
	dir := rebuildable(t, "", map[string][]byte{"alpha": scoredTrial(t, "alpha", 1), "beta-2": bytes.ReplaceAll(scoredTrial(t, "beta", 0), []byte("trials/beta"), []byte("trials/beta-2"))})
	if err := os.MkdirAll(filepath.Join(dir, "trials", "cut"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trials", "cut", "trial.json"), []byte(`{"format": "sea`), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "trial.json")
	if err := os.WriteFile(outside, scoredTrial(t, "x", 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "trials", "led"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "trials", "led", "trial.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arg, name, wrong string }{
		{dir + "/trials/alpha", "alpha", ""},
		{dir + "/trials/alpha/", "alpha", ""},
		{dir + "/trials/alpha/trial.json", "alpha", ""},
		{dir + "/alpha", "alpha", ""},
		{dir + "/beta", "beta-2", ""},
		{dir + "/alhpa", "", "did you mean alpha?"},
		{dir + "/nothing-like-it", "", "it has alpha, beta-2"},
		{dir, "", "is a run; name one of its trials"},
		{dir + "/cut", "", "cut or not JSON"},
		{dir + "/led", "", "cannot be used"},
		{filepath.Join(dir, "..", "no-run", "x"), "", "is no trial"},
		{"", "", "is no trial"},
	} {
		p, err := orchestrator.FindTrial(c.arg)
		if c.wrong != "" {
			var u *orchestrator.UsageError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v", c.arg, err)
			}
			continue
		}
		if err != nil || p.Name != c.name || p.Run != dir || p.Record == nil || p.Folder() != filepath.Join(dir, "trials", c.name) {
			t.Errorf("%s: %+v, error %v", c.arg, p, err)
		}
	}
}

func TestFindTrialByTheRunsID(t *testing.T) {
	dir := rebuildable(t, "", map[string][]byte{"alpha": scoredTrial(t, "alpha", 1)})
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("eval-runs", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, "eval-runs/r1"); err != nil {
		t.Fatal(err)
	}
	if p, err := orchestrator.FindTrial("r1/alpha"); err != nil || p.Name != "alpha" {
		t.Errorf("%+v, error %v", p, err)
	}
}
