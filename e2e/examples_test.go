package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// Every task in testdata/tasks that says what comes of it with the oracle and with nobody does so. They can be run by hand: `seatrial run testdata/tasks/NAME`.
func TestTheExamplesDoAsTheySay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "tasks", "*", "task.toml"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	told := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var task struct {
			Metadata struct {
				Expect map[string]any `toml:"expect"`
			} `toml:"metadata"`
		}
		if err := toml.Unmarshal(data, &task); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		told += len(task.Metadata.Expect)
		for agent, want := range task.Metadata.Expect {
			t.Run(name+" "+agent, func(t *testing.T) {
				t.Parallel()
				c := seatrialRun(t, "--agent", agent, demo(t, name)).only(t)
				var got any
				switch {
				case c.Error != nil:
					got = c.Error.Code
				case c.Score != nil && *c.Score == float64(int64(*c.Score)):
					got = int64(*c.Score)
				case c.Score != nil:
					got = *c.Score
				}
				if got != want {
					t.Errorf("it comes to %v, and says %v: %+v", got, want, c.Error)
				}
			})
		}
	}
	if told < 40 {
		t.Errorf("only %d outcomes are told of", told)
	}
}
