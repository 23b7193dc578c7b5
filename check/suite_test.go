package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seatrial/seatrial/check"
)

// lay writes files and returns their folder. A task that names a case is written short, as a line "dir: case".
func lay(t testing.TB, files, tasks string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range txtar.Parse([]byte(files)).Files {
		put(f.Name, string(f.Data))
	}
	for line := range strings.Lines(tasks) {
		at, id, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		text := ""
		if id = strings.TrimSpace(id); id != "" {
			text = fmt.Sprintf("[metadata.eval]\ncase = %q\n", id)
		}
		put(at+"/task.toml", text)
		put(at+"/instruction.md", "Do it.\n")
		put(at+"/environment/Dockerfile", "FROM busybox\n")
		put(at+"/tests/test.sh", "#!/bin/sh\n")
	}
	return dir
}

func TestSuite(t *testing.T) {
	for _, tc := range []struct {
		name, files, tasks, path string
		want                     []string // code, file and a part of the message
	}{
		{"all is right", "-- evals/cases/a.md --\n-- evals/cases/b.md --\n", "evals/harbor/a: a\nevals/harbor/x: b", "evals", nil},
		{"a case without a task", "-- evals/cases/a.md --\n-- evals/cases/b.md --\n", "evals/harbor/a: a", "evals",
			[]string{"case_uncovered evals/cases/b.md no task implements the case b"}},
		{"a case that is not there", "-- evals/cases/a.md --\n", "evals/harbor/a: a\nevals/harbor/b: b", "evals",
			[]string{`case_missing evals/harbor/b/task.toml:2 the case "b" is not there`}},
		{"the same from the task itself", "-- evals/cases/a.md --\n", "evals/harbor/a: a\nevals/harbor/b: b", "evals/harbor/b",
			[]string{`case_missing evals/harbor/b/task.toml:2 the case "b" is not there`}},
		{"a suite by its name has to have the case", "-- evals/README.md --\n", "evals/harbor/a: a", "evals",
			[]string{`case_missing evals/harbor/a/task.toml:2 the case "a" is not there`}},
		{"two tasks for one case", "-- evals/cases/a.md --\n", "evals/harbor/a: a\nevals/harbor/b: a", "evals",
			[]string{`duplicate_case evals/harbor/b/task.toml:2 evals/harbor/a and `}},
		{"two runners for one case", "-- evals/cases/a.md --\n", "evals/harbor/a: a\nevals/other/a: a", "evals", nil},
		{"two tasks of one name without a case", "-- x/a/task.toml --\n[task]\nname = \"o/n\"\n-- x/b/task.toml --\n[task]\nname = \"o/n\"\n", "", "x",
			[]string{`duplicate_case x/b/task.toml x/a and `}},
		{"a legacy id that is another's case", "-- evals/cases/a.md --\n-- evals/cases/b.md --\n", "evals/harbor/a: b\nevals/harbor/x: a", "evals",
			[]string{`legacy_id_clash evals/harbor/a/task.toml the legacy id "a" of `}},
		{"a name that is another's case, of a task without one", "-- evals/cases/a.md --\n", "evals/harbor/a:\nevals/harbor/x: a", "evals",
			[]string{`duplicate_case evals/harbor/x/task.toml:2 evals/harbor/a and `}},
		{"a case file whose name is no id", "-- evals/cases/Big One.md --\n-- evals/cases/README.md --\n-- evals/cases/notes.txt --\n", "", "evals",
			[]string{"case_id_invalid evals/cases/Big One.md the name of the file"}},
		{"a broken task still covers its case", "-- evals/cases/a.md --\n-- evals/harbor/a/task.toml --\n[agnt]\n[metadata.eval]\ncase = \"a\"\n", "", "evals", nil},
		{"without pi.evals the layout is not looked at", "-- evals/cases/a.md --\n-- evals/notes.txt --\n-- evals/harbor/bare/x --\n", "evals/harbor/a: a\nelse/b:", ".", nil},
		{"an implementation without its config", "-- package.json --\n{\"pi\": {\"evals\": {}}}\n-- evals/cases/a.md --\n-- evals/harbor/bare/x --\n-- evals/harbor/file --\n", "evals/harbor/a: a\nevals/harbor/group/b:", "evals",
			[]string{"implementation_without_config evals/harbor/bare the folder is among", "implementation_without_config evals/harbor/group the folder is among the implementations of harbor, and has no task.toml; the tasks in it"}},
		{"what other runners have is theirs", "-- package.json --\n{\"pi\": {\"evals\": {}}}\n-- evals/cases/a.md --\n-- evals/local/a/eval.yaml --\n", "evals/harbor/a: a", "evals", nil},
		{"eval files outside", "-- package.json --\n{\"pi\": {\"evals\": {}}}\n-- evals/cases/a.md --\n-- evals/notes.txt --\n-- evals/README.md --\n-- evals/.keep --\n-- evals/lib/x --\n-- evals/sources/x --\n-- node_modules/t/task.toml --\n",
			"evals/harbor/a: a\nelse/deep/b:\neval-runs/r/c:", ".", []string{"eval_file_outside else/deep/b the task lies outside", "eval_file_outside evals/notes.txt "}},
		{"places that were moved", "-- package.json --\n{\"pi\": {\"evals\": {\"cases\": \"docs/cases\", \"runners\": {\"harbor\": \"tests/harbor\"}}}}\n-- docs/cases/a.md --\n-- evals/cases/old.md --\n-- evals/harbor/x --\n",
			"tests/harbor/a: a", ".", []string{"eval_file_outside evals/cases ", "eval_file_outside evals/harbor "}},
		{"keys that nothing reads, and paths that lead out", "-- package.json --\n{\"pi\": {\"evals\": {\"case\": \"x\", \"lib\": \"../x\"}}}\n-- evals/cases/a.md --\n", "evals/harbor/a: a", "evals",
			[]string{"eval_path_invalid package.json pi.evals.lib must be", "unknown_eval_key package.json pi.evals.case: nothing reads this key; did you mean cases?"}},
		{"a runner's folder that is not there", "-- package.json --\n{\"pi\": {\"evals\": {\"runners\": {\"harbor\": \"gone\"}}}}\n-- evals/cases/a.md --\n", "", ".",
			[]string{"case_uncovered evals/cases/a.md ", "eval_path_invalid gone the folder of the runner harbor"}},
		{"a suite of nothing", "-- evals/README.md --\n", "", "evals", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(lay(t, tc.files, tc.tasks))
			found, _, err := check.Suite(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, f := range found {
				place := f.File
				if f.Line > 0 {
					place += fmt.Sprint(":", f.Line)
				}
				line := f.Code + " " + place + " " + f.Message
				if i < len(tc.want) && strings.HasPrefix(line, tc.want[i]) {
					line = tc.want[i]
				}
				got = append(got, line)
				if f.Remedy == "" || f.Severity == "" {
					t.Errorf("%s has no remedy or severity", f.Code)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPathThatLeadsNowhere(t *testing.T) {
	if _, _, err := check.Suite(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("no error")
	}
}

func TestTogetherTellsEachThingOnce(t *testing.T) {
	tasks := []check.Finding{{Code: "duplicate_case", Task: "a"}, {Code: "duplicate_case", Task: "c"}, {Code: "unsupported", Task: "b", Key: "metadata.eval.case"}, {Code: "crlf", Task: "a"}}
	suite := []check.Finding{{Code: "duplicate_case", Task: "a", Message: "both"}, {Code: "case_missing", Task: "b"}}
	var got []string
	for _, f := range check.Together(tasks, suite) {
		got = append(got, f.Task+" "+f.Code+" "+f.Message)
	}
	if diff := cmp.Diff([]string{"a crlf ", "a duplicate_case both", "b case_missing ", "c duplicate_case "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAThousandTasksAreListedInSeconds(t *testing.T) {
	const many = 1000
	var tasks, files strings.Builder
	for i := range many {
		fmt.Fprintf(&tasks, "evals/harbor/t%d: c%d\n", i, i)
		fmt.Fprintf(&files, "-- evals/cases/c%d.md --\n", i)
	}
	t.Chdir(lay(t, files.String(), tasks.String()))
	begun := time.Now()
	found, c, err := check.Suite("evals")
	took := time.Since(begun)
	if err != nil || len(found) > 0 || c.Covered() != many || len(c.Tasks) != many {
		t.Fatalf("%d findings, %d covered: %v", len(found), c.Covered(), err)
	}
	t.Logf("%v for %d tasks", took, many)
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	var b bytes.Buffer
	if err := check.WriteCoverage(&b, c); err != nil || strings.Count(b.String(), "\n") != many+2 {
		t.Error(err)
	}
}

func TestWhatIsShownHoldsNoControlCharacters(t *testing.T) {
	dir := lay(t, "-- evals/cases/a.md --\n-- evals/harbor/x/task.toml --\n[\"\\u001b[2J\"]\n", "")
	if err := os.MkdirAll(filepath.Join(dir, "evals", "harbor", "\x1b]0;t\a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "evals", "harbor", "\x1b]0;t\a", "task.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "evals", "cases", "\x1bb.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	found, c, err := check.Suite(filepath.Join(dir, "evals"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_ = check.WriteCoverage(&b, c)
	for _, f := range found {
		fmt.Fprintln(&b, f.File, f.Message, f.Task)
	}
	if strings.ContainsAny(b.String(), "\x1b\a") {
		t.Errorf("%q", b.String())
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}
