package why_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/why"
)

// put writes a file of a run's folder.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func putJSON(t *testing.T, dir, name string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, name, string(data))
}

// record is that of a trial that began some seconds after noon and took ten.
func record(name string, after int) *orchestrator.TrialRecord {
	r := *scored(0).Trial
	r.Format, r.SchemaVersion, r.TrialID = orchestrator.TrialFormat, 1, name+"-00000001"
	r.StartedAt = noon.Add(time.Duration(after) * time.Second)
	r.FinishedAt = r.StartedAt.Add(10 * time.Second)
	r.Case.ID = name
	return &r
}

func read(t *testing.T, dir, name string) *why.Evidence {
	t.Helper()
	p, err := orchestrator.FindTrial(filepath.Join(dir, "trials", name))
	if err != nil {
		t.Fatal(err)
	}
	return why.Read(p)
}

func folders(e *why.Evidence) []string {
	out := []string{}
	for _, n := range e.Beside {
		out = append(out, n.Folder)
	}
	return out
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, after := range map[string]int{"a": 0, "b": 5, "c": 60} {
		putJSON(t, dir, "trials/"+name+"/trial.json", record(name, after))
	}
	put(t, dir, "trials/a/agent/stdout.log", "one\n\n[seatrial: ended by the agent limit of 1s]\nfour\n")
	put(t, dir, "trials/a/verifier/stderr.log", "")
	put(t, dir, "trials/a/egress.jsonl", `{"host":"x.org","allowed":true}
{"host":"pypi.org","allowed":false}
no JSON
{"host":"y.org","allowed":false}
{"host":"y.org","allowed":false}
`)
	e := read(t, dir, "a")
	if diff := cmp.Diff([]why.Log{{File: "agent/stdout.log", Lines: []why.Line{{1, "one"}, {4, "four"}}}}, e.Logs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]why.Refusal{{"egress.jsonl", 4, "y.org", 2}, {"egress.jsonl", 2, "pypi.org", 1}}, e.Refusals); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b"}, folders(e)); diff != "" || e.BesideCount != 1 || e.Lock != nil || e.Run != nil {
		t.Errorf("%s %d %v %v", diff, e.BesideCount, e.Lock, e.Run)
	}
	putJSON(t, dir, "trials/a/lock.json", lockfile.Lock{Format: lockfile.Format, SchemaVersion: 1, RunID: "run-1", TrialID: "a-00000001", Batch: lockfile.Batch{Beside: []string{"c", "../..", "gone", "a"}, BesideCount: 70}})
	if e = read(t, dir, "a"); e.Lock == nil || e.BesideCount != 70 || cmp.Diff([]string{"c"}, folders(e)) != "" {
		t.Errorf("%v %d %q", e.Lock, e.BesideCount, folders(e))
	}
}

func TestFilesThatAreNotWhatTheySay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := record("a", 0)
	r.Agent.Stdout.Path, r.Agent.Stderr.Path = "../../../secret", "link.log"
	r.Verifier.Stdout.Path, r.Verifier.Stderr.Path = "pipe", "/etc/hostname"
	r.Steps = []orchestrator.StepTrial{{Name: "../../.."}}
	putJSON(t, dir, "trials/a/trial.json", r)
	put(t, dir, "secret", "secret")
	put(t, dir, "egress-verifier.jsonl", `{"host":"secret.org","allowed":false}`)
	for _, err := range []error{os.Symlink("../../secret", filepath.Join(dir, "trials/a/link.log")), os.Symlink("../../egress-verifier.jsonl", filepath.Join(dir, "trials/a/egress.jsonl")), syscall.Mkfifo(filepath.Join(dir, "trials/a/pipe"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if e := read(t, dir, "a"); len(e.Logs) != 0 || len(e.Refusals) != 0 {
		t.Errorf("%+v %+v", e.Logs, e.Refusals)
	}
}

func TestLogsOfAnySize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	putJSON(t, dir, "trials/a/trial.json", record("a", 0))
	put(t, dir, "trials/a/agent/stdout.log", strings.Repeat("0123456789abcde\n", 1<<16)+"last\n")
	put(t, dir, "trials/a/agent/stderr.log", strings.Repeat("0123456789abcde\n", 1<<20)+"last of many\n")
	put(t, dir, "trials/a/verifier/stdout.log", strings.Repeat("x", 1<<20))
	e := read(t, dir, "a")
	got := map[string]why.Line{}
	for _, l := range e.Logs {
		if len(l.Lines) > 0 {
			got[l.File] = l.Lines[len(l.Lines)-1]
		}
	}
	want := map[string]why.Line{"agent/stdout.log": {1<<16 + 1, "last"}, "agent/stderr.log": {0, "last of many"}}
	got["verifier/stdout.log"] = why.Line{}
	want["verifier/stdout.log"] = why.Line{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
