package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func TestTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, "[metadata]\ntags = \"x\"\n": nil,
		"[task]\nname = \"a/b\"\nkeywords = [\"k\", \"a\"]\n[metadata]\ntags = [\"b\", 1, \"a\", \"\", \"x\\ny\", [\"c\"]]\n": {"a", "b", "k"},
	} {
		c, _, err := task.Parse("task.toml", []byte(text), task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, c.Tags()); d != "" && len(c.Tags()) > 0 {
			t.Errorf("%s (-want +got)\n%s", text, d)
		}
	}
}
