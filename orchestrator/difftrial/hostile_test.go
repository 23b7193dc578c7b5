package difftrial_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/difftrial"
	"github.com/seatrial/seatrial/verifier"
)

// listed is what is said of the files, by name.
func listed(d *difftrial.Diff) map[string]string {
	out := map[string]string{}
	for _, f := range d.Files.Listed {
		out[f.Name] = f.How
	}
	return out
}

func TestNoLinkIsFollowedAndNothingIsWaitedFor(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	make := func(target string) *orchestrator.TrialPlace {
		p := folder(t, record(target), map[string]string{"agent/stderr.log": "", "artifacts/in/x": target})
		at := func(name string) string { return filepath.Join(p.Folder(), name) }
		for _, err := range []error{os.MkdirAll(at("verifier"), 0o755), os.Symlink(target, at("artifacts/link")), os.Symlink("same", at("artifacts/dangling")), os.Symlink(secret, at("agent/stdout.log")),
			syscall.Mkfifo(at("artifacts/pipe"), 0o600), syscall.Mkfifo(at("verifier/stdout.log"), 0o600), os.Symlink("in", at("artifacts/folder")), os.Symlink("../..", at("steps"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	was, now := make(secret), make("/etc")
	write(t, was.Folder(), "artifacts/either", "a file")
	if err := os.Symlink("x", filepath.Join(now.Folder(), "artifacts/either")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(now.Folder(), "artifacts/new-pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := compared(t, was, now)
	want := map[string]string{"artifacts/link": "target", "artifacts/either": "kind", "artifacts/in/x": "content", "artifacts/new-pipe": "only_new"}
	if diff := cmp.Diff(want, listed(d)); diff != "" {
		t.Error(diff)
	}
	for _, l := range d.Logs.Logs {
		refused := l.Name == "agent.stdout" || strings.HasPrefix(l.Name, "verifier.")
		if refused != (l.Problem != "") || l.First != nil {
			t.Errorf("%+v", l)
		}
	}
	text, data := shown(t, d)
	if strings.Contains(text+data, "SECRET") {
		t.Error("a link was followed")
	}
	if !strings.Contains(text, "artifacts/new-pipe: only in the new trial, a pipe, not read") || !strings.Contains(text, "artifacts/link: a link to "+secret+", not followed -> a link to /etc, not followed") {
		t.Error(text)
	}
}

func TestAFolderInPlaceOfSomethingElse(t *testing.T) {
	t.Parallel()
	was, now := folder(t, record("1"), map[string]string{"artifacts/a": "1", "artifacts/b/x": "1", "artifacts/b/y/z": "22", "artifacts/c/x": "1"}),
		folder(t, record("2"), map[string]string{"artifacts/a/x": "1", "artifacts/d/x": "1"})
	for name, target := range map[string]string{"b": "d", "c": "/etc"} {
		if err := os.Symlink(target, filepath.Join(now.Folder(), "artifacts", name)); err != nil {
			t.Fatal(err)
		}
	}
	d := compared(t, was, now, difftrial.Files)
	want := map[string]string{"artifacts/a": "kind", "artifacts/b": "kind", "artifacts/c": "kind", "artifacts/d": "only_new"}
	if diff := cmp.Diff(want, listed(d)); diff != "" || d.Files.NotCompared != 0 {
		t.Errorf("%d not compared\n%s", d.Files.NotCompared, diff)
	}
	if text, _ := shown(t, d); !strings.Contains(text, "artifacts/b: a folder with 2 files, 3 bytes -> a link to d, not followed") {
		t.Error(text)
	}
}

func TestAFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	was, now := folder(t, record("1"), map[string]string{"artifacts/a/x": "1"}), folder(t, record("2"), map[string]string{"artifacts/a/x": "1"})
	dir := filepath.Join(was.Folder(), "artifacts/a")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	d := compared(t, was, now, difftrial.Files)
	if d.Files.Differs || d.Files.NotCompared != 2 || listed(d)["artifacts/a"] != "not_compared" {
		t.Errorf("%+v", d.Files)
	}
}

func TestWhatIsInFiles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	big := strings.Repeat("the same line\n", 40_000)
	many := strings.Repeat("a\n", 100)
	files := map[string][2]string{
		"latin":         {"caf\xe9\n", "cafe\n"},
		"control":       {"a\x1b[2Jb\n", "a\u202eb\n"},
		"crlf":          {"a\r\n", "a\n"},
		"tab":           {"\ta\n", "    a\n"},
		"newline":       {"a\n", "a"},
		"empty":         {"", "a\n"},
		"long":          {"first\n" + long + "1" + long + "\nlast\n", "first\n" + long + "2" + long + "\nlast\n"},
		"big":           {big + "é1\n", big + "é2\nmore\n"},
		"big-cut":       {big, big + "more\n"},
		"big-binary":    {"\x00" + big, "\x01" + big},
		"late-binary":   {"a\n" + "\x00", "a\n" + "\x01"},
		"many":          {many, strings.ReplaceAll(many, "a", "b")},
		"bad\nname\xff": {"1", "2"},
		"-rf":           {"1", "2"},
	}
	old, young := logs(), logs()
	for name, pair := range files {
		old["artifacts/"+name], young["artifacts/"+name] = pair[0], pair[1]
	}
	old["artifacts/big-same"], young["artifacts/big-same"] = big, big
	d := compared(t, folder(t, record("1"), old), folder(t, record("2"), young), difftrial.Files)
	if len(d.Files.Listed) != len(files) || d.Files.Same != 1 || !d.Equal {
		t.Errorf("%+v", d.Files)
	}
	text, data := shown(t, d)
	golden.Compare(t, filepath.Join("testdata", "contents.txt"), text)
	golden.Compare(t, filepath.Join("testdata", "contents.json"), data)
	harmless(t, text)
}

func TestWhatIsInLogs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300_000)
	for _, c := range []struct{ name, old, new string }{
		{"in-a-huge-line", "first\n" + long + "1" + long, "first\n" + long + "2" + long},
		{"at-the-beginning", "a\nb\n", "x\nb\n"},
		{"at-the-end", "a\nb\n", "a\nb\nc\n"},
		{"in-the-last-line", "a\nb", "a\nb\n"},
		{"empty", "", "a\n"},
		{"binary", "a\x00\xff\x1b[2J\n", "a\x00\xfe\n"},
		{"within-a-character", "é\n", "è\n"},
	} {
		was, now := logs(), logs()
		was["agent/stdout.log"], now["agent/stdout.log"] = c.old, c.new
		d := compared(t, folder(t, record("1"), was), folder(t, record("2"), now), difftrial.Logs)
		text, _ := shown(t, d)
		golden.Compare(t, filepath.Join("testdata", "log-"+c.name+".txt"), text)
		harmless(t, text)
	}
}

// harmless says that text can be shown on a terminal.
func harmless(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\r\t\x00\u202e") {
		t.Errorf("%q", text)
	}
}

func TestALogThatIsInOneFolderAlone(t *testing.T) {
	t.Parallel()
	fewer := logs()
	delete(fewer, "agent/stdout.log")
	d := compared(t, folder(t, record("1"), logs()), folder(t, record("2"), fewer))
	if l := d.Logs.Logs[0]; !d.Logs.Differs || !l.Differs || !strings.Contains(l.Problem, "new trial") {
		t.Errorf("%+v", l)
	}
}

func TestRecordsThatNameOtherFiles(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/etc/passwd", "../../../etc/passwd", "..", ".", "agent", "a\x00b", strings.Repeat("a/", 5000)} {
		r := record("1")
		r.Agent.Stdout.Path = path
		d := compared(t, folder(t, r, logs()), folder(t, r, logs()))
		if l := d.Logs.Logs[0]; l.Problem == "" || l.First != nil {
			t.Errorf("%q: %+v", path, l)
		}
		if d.Files.Same != 1 { // stdout.log, which is no log now
			t.Errorf("%q: %+v", path, d.Files)
		}
	}
}

func TestAbsurdRecords(t *testing.T) {
	t.Parallel()
	nasty := "a\x1b[2J\nb\u202e" + strings.Repeat("w", 600)
	make := func(n int, big float64) *orchestrator.TrialRecord {
		r := record("1")
		r.Case.ID, r.Case.Status, r.Case.Score, r.RunID = nasty, nasty, &big, nasty
		r.Case.Timing.Total, r.Case.Timing.Agent, r.Agent.Seconds, r.Agent.MaxRSSKB, r.Agent.Stdout.Bytes, r.Agent.Stdout.Cut = big, ptr(-big), big, math.MaxInt64, math.MinInt64, -1
		r.Limits[0].Seconds = big
		for range n {
			r.Case.Scores = append(r.Case.Scores, verifier.Score{Name: nasty, Value: &big})
			r.Case.Warnings = append(r.Case.Warnings, orchestrator.Warning{Code: nasty, Message: nasty[:20]})
			r.EnvNames, r.Restarts = append(r.EnvNames, nasty), append(r.Restarts, nasty)
			r.Steps = append(r.Steps, orchestrator.StepTrial{Name: "x", StepFacts: orchestrator.StepFacts{Agent: &orchestrator.Exec{Stdout: orchestrator.Stream{Path: "agent/stdout.log"}}}})
			r.Case.Steps = append(r.Case.Steps, orchestrator.StepResult{Name: nasty, Error: &orchestrator.Fault{Message: nasty}})
		}
		return r
	}
	d := compared(t, folder(t, make(1100, math.MaxFloat64), logs()), folder(t, make(11_000, -math.MaxFloat64), logs()))
	text, data := shown(t, d)
	harmless(t, text)
	if len(text) > 2<<20 || !json.Valid([]byte(data)) || d.Equal {
		t.Errorf("%d bytes", len(text))
	}
	for _, s := range d.Sections {
		if len(s.Rows) > 10_000 {
			t.Errorf("%s has %d rows", s.Name, len(s.Rows))
		}
	}
	if len(d.Logs.Logs) > 1000 || d.Logs.LeftOut == 0 {
		t.Errorf("%d logs, %d left out", len(d.Logs.Logs), d.Logs.LeftOut)
	}
	for _, small := range []string{`{"format":"seatrial-trial"}`, `{"format":"seatrial-trial","case":{"scores":[{}],"steps":[{}]},"steps":[{"agent":{}}],"limits":[{}],"fakes":{}}`} {
		r, err := orchestrator.DecodeTrial([]byte(small))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := shown(t, compared(t, folder(t, r, nil), folder(t, record("1"), nil)))
		harmless(t, text)
	}
}

func FuzzAnyRecordsAreCompared(f *testing.F) {
	f.Add([]byte(`{"format": "seatrial-trial", "case": {"status": "complete", "score": 1, "scores": [{"name": "x", "value": 1}, {"name": "x"}]}}`), []byte(`{"format": "seatrial-trial", "agent": {"exit": 1, "stdout": {"path": "trial.json"}}, "limits": [{"phase": "agent", "seconds": 1e308}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		was, err := orchestrator.DecodeTrial(a)
		if err != nil {
			return
		}
		now, err := orchestrator.DecodeTrial(b)
		if err != nil {
			return
		}
		x, y := folder(t, was, logs()), folder(t, now, logs())
		d := compared(t, x, y)
		text, data := shown(t, d)
		harmless(t, text)
		again, same := shown(t, compared(t, x, y))
		if text != again || data != same {
			t.Error("it is not the same each time")
		}
		if back := compared(t, y, x); back.Equal != d.Equal {
			t.Error("it depends on the order")
		}
		if !compared(t, x, x).Equal {
			t.Error("a trial is not the same as itself")
		}
	})
}
