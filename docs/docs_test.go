// Package docs_test holds the documentation to what is there.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources is the text of every test file of the tree.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "docs") {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestEveryTestThatAPageNamesIsThere(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("failures.md")
	if err != nil {
		t.Fatal(err)
	}
	code := sources(t)
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "---") || strings.HasPrefix(cells[1], " what happens") {
			continue
		}
		rows++
		tests := cells[len(cells)-2]
		named := regexp.MustCompile(`Test[A-Z][A-Za-z0-9]*|"[^"]+"`).FindAllString(tests, -1)
		if len(named) == 0 {
			t.Errorf("no test is named for: %s", cells[1])
		}
		for _, n := range named {
			want := "func " + n + "("
			if n[0] == '"' {
				want = n
			}
			if !strings.Contains(code, want) {
				t.Errorf("%s is not in any test file", n)
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d rows were read", rows)
	}
}

func TestEveryLinkBetweenPagesLeadsSomewhere(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md", "../CHANGELOG.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(data), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}
