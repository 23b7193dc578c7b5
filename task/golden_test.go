package task_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/task"
)

func TestProblemTexts(t *testing.T) {
	for _, file := range glob(t, "testdata/problems/*.toml") {
		for _, lax := range []bool{false, true} {
			_, warnings, err := task.Parse(filepath.Base(file), read(t, file), task.Options{Lax: lax})
			var all task.Problems
			if err != nil && !errors.As(err, &all) {
				t.Fatalf("%s: the error is %T, not Problems", file, err)
			}
			var b strings.Builder
			for _, p := range all {
				b.WriteString(p.Error() + "\n")
			}
			b.WriteString("-- warnings\n")
			for _, w := range warnings {
				b.WriteString(string(w.Code) + " " + w.String() + "\n")
			}
			suffix := ".strict.golden"
			if lax {
				suffix = ".lax.golden"
			}
			golden.Compare(t, strings.TrimSuffix(file, ".toml")+suffix, b.String())
		}
	}
}
