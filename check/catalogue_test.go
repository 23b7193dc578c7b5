package check_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/check"
	"github.com/seatrial/seatrial/task"
)

func codes() map[string]bool {
	all := map[string]bool{}
	for _, k := range check.Kinds() {
		all[k.Code] = true
	}
	return all
}

func TestThePageListsEveryCodeAndNoOther(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (error|warning|note) \\|").FindAllStringSubmatch(string(page), -1) {
		listed[m[1]] = m[2]
	}
	want := map[string]string{}
	for _, k := range check.Kinds() {
		want[k.Code] = string(k.Severity)
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
}

func TestEveryCodeIsInTheCatalogueOnceAndWhole(t *testing.T) {
	t.Parallel()
	all := codes()
	if len(all) != len(check.Kinds()) {
		t.Error("a code is there twice")
	}
	for _, k := range check.Kinds() {
		if k.Title == "" || k.Remedy == "" {
			t.Errorf("%s is not whole", k.Code)
		}
	}
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`Code(?::|\s*=|, f\.Severity =)\s*"([a-z_]+)"`).FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
	}
	for _, c := range []task.Code{task.UnknownKey, task.MisplacedKey, task.IgnoredKey, task.CoercedValue, task.SchemaVersion, task.ByteOrderMark, task.MissingFolder, task.MissingScript, task.UnreadFile,
		task.NoShebang, task.HiddenExitCode} {
		used[string(c)] = true
	}
	for _, c := range slices.Sorted(maps.Keys(used)) {
		if !all[c] {
			t.Errorf("%s is used and not in the catalogue", c)
		}
	}
	if len(used) < 25 {
		t.Errorf("only %d codes were found in the code", len(used))
	}
}
