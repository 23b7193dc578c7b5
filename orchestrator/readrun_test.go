package orchestrator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

const tinyRun = `{"format": "seatrial-run", "schema_version": 1, "run_id": "r", "cases": [{"id": "a", "status": "complete", "score": 1}]}`

func TestDecodeRunRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, says string }{
		{"an empty file", "", "it is empty"},
		{"a cut file", tinyRun[:40], "cut or not JSON"},
		{"another format", `{"format": "seatrial-trial", "schema_version": 1}`, "not a record of ours"},
		{"a list", `[]`, "cut or not JSON"},
		{"a newer schema version", `{"format": "seatrial-run", "schema_version": 2}`, "upgrade seatrial"},
		{"a newer schema version further on", `{"run_id": "r", "schema_version": 2, "format": "seatrial-run"}`, "upgrade seatrial"},
		{"a newer schema version said again", strings.Replace(tinyRun, `"run_id"`, `"schema_version": 2, "run_id"`, 1), "never was"},
		{"what follows the end", tinyRun + "x", "cut or not JSON"},
		{"another type where the head is", `{"format": "seatrial-run", "schema_version": "1"}`, "cut or not JSON"},
		{"no schema version", `{"format": "seatrial-run"}`, "never was"},
		{"a number that is none", strings.Replace(tinyRun, `"score": 1`, `"score": 1e999`, 1), "schema"},
		{"a case without an id", strings.Replace(tinyRun, `"id": "a"`, `"id": ""`, 1), "case 1 has no id"},
		{"a case that is null", strings.Replace(tinyRun, `[{`, `[null, {`, 1), "case 1 has no id"},
		{"a status that is not known", strings.Replace(tinyRun, `complete`, `great`, 1), `case "a": its status is "great"`},
		{"a score that does not count", strings.Replace(tinyRun, `complete`, `incomplete`, 1), "incomplete and has a score"},
		{"a trial whose status is not known", strings.Replace(tinyRun, `"score": 1`, `"score": 1, "trials": [{"id": "a"}]`, 1), "trial 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := orchestrator.DecodeRun([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestReadRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	do(os.MkdirAll(at("run"), 0o755), os.MkdirAll(at("leads-out"), 0o755), os.MkdirAll(at("empty"), 0o755), os.MkdirAll(at("folder", "run.json"), 0o755), os.MkdirAll(at("pipe"), 0o755), os.MkdirAll(at("huge"), 0o755))
	do(os.WriteFile(at("run", "run.json"), []byte(tinyRun), 0o644), os.WriteFile(at("huge", "run.json"), nil, 0o644), os.Truncate(at("huge", "run.json"), 1<<40))
	do(os.Symlink("../run/run.json", at("leads-out", "run.json")), os.Symlink("run", at("latest")), os.Symlink("run/run.json", at("file")), syscall.Mkfifo(at("pipe", "run.json"), 0o644))
	for _, c := range []struct{ name, path, says string }{
		{"a folder", "run", ""},
		{"a file", "run/run.json", ""},
		{"a link to a folder", "latest", ""},
		{"a link to a file", "file", ""},
		{"a run.json that leads out of its folder", "leads-out", "escapes"},
		{"a folder without a run", "empty", "no such file"},
		{"nothing", "gone", "no run at"},
		{"a folder in the file's place", "folder", "not a regular file"},
		{"a pipe that nobody writes to", "pipe", "not a regular file"},
		{"a file of a terabyte", "huge", "larger than 256 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			started := time.Now()
			r, err := orchestrator.ReadRun(at(c.path))
			switch {
			case c.says == "" && (err != nil || len(r.Cases) != 1):
				t.Error(err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !errors.As(err, new(*orchestrator.UsageError))):
				t.Errorf("error %v, want %q", err, c.says)
			}
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func FuzzDecodeRun(f *testing.F) {
	f.Add([]byte(tinyRun))
	f.Add([]byte(strings.Replace(tinyRun, `"score": 1`, `"score": null, "trials": [{"status": "incomplete", "error": {"code": "internal"}}], "scores": [{"name": "x"}], "tags": ["a"]`, 1)))
	f.Add([]byte(`{"format": "seatrial-run", "schema_version": 1, "cases": [null], "spec": {"timeouts": {"a": [1]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := orchestrator.DecodeRun(data)
		if err != nil {
			return
		}
		if _, err := orchestrator.Encode(orchestrator.Measure(r.Cases, orchestrator.MetricOptions{PassBar: 1})); err != nil {
			t.Error(err)
		}
		for _, c := range r.Cases {
			if c.ID == "" || c.Score != nil && c.Status != orchestrator.Complete {
				t.Errorf("%+v", c)
			}
		}
	})
}
