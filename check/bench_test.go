package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/check"
)

// copies makes a folder with many copies of a task of the usual size.
func copies(t testing.TB, n int) string {
	t.Helper()
	top := t.TempDir()
	for i := range n {
		if err := os.CopyFS(filepath.Join(top, fmt.Sprintf("task-%d", i)), os.DirFS("testdata/usual")); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestManyTasksAreCheckedAndNoneIsLost(t *testing.T) {
	t.Parallel()
	tasks := static(t, false, copies(t, 300))
	if n := check.Count(check.Findings(tasks, nil)); len(tasks) != 300 || n != (check.Counts{Notes: 300}) {
		t.Errorf("%d tasks, %s", len(tasks), n)
	}
	for i := range tasks[1:] {
		if tasks[i].Dir >= tasks[i+1].Dir {
			t.Errorf("%s comes before %s", tasks[i].Dir, tasks[i+1].Dir)
		}
	}
}

func BenchmarkStatic(b *testing.B) {
	top := copies(b, 1000)
	for b.Loop() {
		static(b, false, top)
	}
}
