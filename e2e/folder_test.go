package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// files are the parts of a task that a behaviour does not care about. The task is done when /app/ok is there.
const files = `
-- task.toml --
schema_version = "1.4"
[agent]
timeout_sec = 30.0
[verifier]
timeout_sec = 30.0
-- instruction.md --
Make the file /app/ok.
-- environment/Dockerfile --
FROM busybox
WORKDIR /app
-- solution/solve.sh --
#!/bin/sh
touch /app/ok
-- tests/test.sh --
#!/bin/sh
if [ -e /app/ok ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`

// makeTask writes a task's folder into dir: the files of a txtar archive, and the usual ones where the archive has none. A file "!name" keeps the
// usual file "name" out.
func makeTask(t *testing.T, dir, archive string) string {
	t.Helper()
	have := map[string]bool{}
	put := func(f txtar.File) {
		if have[f.Name] {
			return
		}
		have[f.Name] = true
		if name, left := strings.CutPrefix(f.Name, "!"); left {
			have[name] = true
			return
		}
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		put(f)
	}
	for _, f := range txtar.Parse([]byte(files)).Files {
		put(f)
	}
	return dir
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(file, ".sh") {
		mode = 0o755
	}
	if err := os.WriteFile(file, data, mode); err != nil {
		t.Fatal(err)
	}
}

// newTask makes a task in a folder of the test's own.
func newTask(t *testing.T, name, archive string) string {
	t.Helper()
	return makeTask(t, filepath.Join(t.TempDir(), name), archive)
}

// demo is a task of the repository.
func demo(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "testdata", "tasks", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
