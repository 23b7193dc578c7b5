package chaos_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// healthy is how many tasks of a batch have nothing wrong with them; every third of them has sidecars.
const healthy = 6

// batchTasks makes the tasks of a batch: healthy ones, one whose agent hangs, one that fills its disk, one that forks without end.
func batchTasks(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for i := range healthy {
		name := fmt.Sprintf("healthy-%d", i)
		dir := filepath.Join(root, name)
		variant(t, dir, name, "")
		if i%3 == 2 {
			into(t, dir, "environment/docker-compose.yaml", "services:\n  main: {}\n  beside:\n    image: busybox\n    command: [\"sleep\", \"600\"]\n")
		}
	}
	for name, solution := range map[string]string{
		"hangs": "sleep 600\n",
		"fills": "cat /dev/zero >/filled/a\n",
		"forks": "bomb() { bomb & bomb; }\nbomb\n",
	} {
		dir := filepath.Join(root, name)
		variant(t, dir, name, "")
		into(t, dir, "solution/solve.sh", "#!/bin/sh\necho ran >>/app/agent-ran\n"+solution)
		if name == "fills" {
			into(t, dir, "environment/docker-compose.yaml", "services:\n  main:\n    tmpfs: [\"/filled:size=4m\"]\n")
		}
	}
	return root
}

func into(t *testing.T, dir, file, text string) {
	t.Helper()
	to := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
