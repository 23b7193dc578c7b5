package task_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/task"
)

// The wanted hashes were computed apart from this code, with Python's hashlib by the words of the standard.
func TestDirHash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		most  int64
		want  string // a hash, or what the error says
	}{
		{"a lone file", map[string]string{"task.toml": "a\n"}, 100, "925514f11fe0b605431479c0058aeb93911bc5650bb621e26336ea5486510f9b"},
		{"folders in folders, and one without a file", map[string]string{"task.toml": "a\n", "tests/test.sh": "exit 0\n", "tests/data/é": "", "empty/": ""}, 100, "f7c8b56a449fa31a04c39f8a1f910f0c2a2b67cbb821b864bef4018b6cf9c0d2"},
		{"the execute bit does not count", map[string]string{"task.toml": "a\n", "tests/test.sh*": "exit 0\n", "tests/data/é": ""}, 100, "f7c8b56a449fa31a04c39f8a1f910f0c2a2b67cbb821b864bef4018b6cf9c0d2"},
		{"no task", map[string]string{"other": "a"}, 100, "task.toml: is not there"},
		{"too much", map[string]string{"task.toml": "a\n", "big": strings.Repeat("x", 99)}, 100, "larger than"},
		{"just enough", map[string]string{"task.toml": "a\n", "big": strings.Repeat("x", 98)}, 100, "b5af8575302b75452440d40eb2cd17d11c4071f1cb58308980ca8ac572c8fde7"},
		{"a link", map[string]string{"task.toml": "a\n", "link>": "task.toml"}, 100, "link: is neither"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				at := filepath.Join(dir, strings.TrimRight(name, "*>/"))
				err := os.MkdirAll(filepath.Dir(at), 0o700)
				switch {
				case strings.HasSuffix(name, "/"):
					err = errors.Join(err, os.Mkdir(at, 0o700))
				case strings.HasSuffix(name, ">"):
					err = errors.Join(err, os.Symlink(text, at))
				default:
					mode := os.FileMode(0o600)
					if strings.HasSuffix(name, "*") {
						mode = 0o700
					}
					err = errors.Join(err, os.WriteFile(at, []byte(text), mode))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			got, err := task.DirHash(dir, c.most)
			if err != nil {
				var d *task.DigestError
				if !errors.As(err, &d) {
					t.Errorf("%T is no *DigestError", err)
				}
				got = err.Error()
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
