package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestThePageOnFakesCanBeFollowed makes the task of docs/fakes.md from the files that stand there, and runs it as the page says.
func TestThePageOnFakesCanBeFollowed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "fakes.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := regexp.MustCompile("(?s)\n`(desk/[^`]+)`\n\n```[a-z]*\n(.*?)```\n").FindAllSubmatch(page, -1)
	if len(files) != 8 {
		t.Errorf("the page has %d files of the task, want 8", len(files))
	}
	for _, f := range files {
		write(t, filepath.Join(dir, string(f[1])), f[2])
	}
	task := filepath.Join(dir, "desk")
	if code, out, errs := seatrial(t, nil, "check", task); code != 0 {
		t.Errorf("check: exit code %d\n%s%s", code, out, errs)
	}
	for _, c := range []struct {
		name        string
		args        []string
		done, added float64
	}{
		{"its own solution", nil, 1, 1},
		{"nobody", []string{"--agent", "nop"}, 0, 1},
		{"who adds a note", []string{"--agent-cmd", `wget -q -O - --header "Content-Type: application/json" --post-data "{\"text\": \"milk is bought\"}" http://fakes:8000/http/notes/notes`}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := seatrialRun(t, append(c.args, task)...)
			expect(t, r, outcome{score: (c.done + c.added) / 2})
			dimensions(map[string]float64{"done": c.done, "nothing_added": c.added})(t, r)
		})
	}
}
