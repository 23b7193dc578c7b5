package task_test

import (
	"strings"
	"testing"

	"github.com/seatrial/seatrial/task"
)

func TestEveryKeyIsDocumented(t *testing.T) {
	sections := strings.Split(string(read(t, "../docs/task-format.md")), "\n## ")
	for _, key := range task.Keys() {
		table, name := "", key
		if dot := strings.LastIndex(key, "."); dot >= 0 {
			table, name = key[:dot], key[dot+1:]
		}
		if !documented(sections, table[strings.LastIndex(table, ".")+1:], "`"+name+"`") {
			t.Errorf("docs/task-format.md has no row for %s", key)
		}
	}
}

// documented looks for a row of a key in the section of the table.
func documented(sections []string, table, name string) bool {
	for _, s := range sections {
		heading, body, _ := strings.Cut(s, "\n")
		ours := strings.Contains(heading, "["+table+"]") || strings.Contains(heading, "."+table+"]")
		if table == "" {
			ours = heading == "The root"
		}
		if !ours {
			continue
		}
		for line := range strings.Lines(body) {
			if cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|"); strings.HasPrefix(line, "|") && strings.Contains(cell, name) {
				return true
			}
		}
	}
	return false
}
