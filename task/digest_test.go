package task_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/seatrial/seatrial/task"
)

func digest(t *testing.T, dir string) string {
	t.Helper()
	d, err := task.Digest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(d) {
		t.Fatalf("digest %q", d)
	}
	return d
}

func TestDigest(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(t *testing.T, dir string)
		same   bool
	}{
		"nothing changes":           {func(*testing.T, string) {}, true},
		"an empty folder":           {put("environment/empty/", ""), true},
		"a repository's own folder": {put(".git/HEAD", "x"), true},
		"a repository deeper down":  {put("environment/.git/HEAD", "x"), false},
		"the times of a file": {func(t *testing.T, dir string) {
			if err := os.Chtimes(filepath.Join(dir, "task.toml"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}, true},
		"the bytes of a file": {put("instruction.md", "Do it!\n"), false},
		"the name of a file": {func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "instruction.md"), filepath.Join(dir, "instruction.mD")); err != nil {
				t.Fatal(err)
			}
		}, false},
		"the execute bit": {func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, "tests/test.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, false},
		"a mode without the execute bit": {func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, "tests/test.sh"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
		"a new file":               {put("tests/x:y z", ""), false},
		"a link out of the folder": {link("tests/link", "/dev/zero"), false},
		"a link to a folder above": {link("tests/up", ".."), false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := t.TempDir(), t.TempDir()
			write(t, before, small())
			write(t, after, small())
			tc.change(t, after)
			if same := digest(t, before) == digest(t, after); same != tc.same {
				t.Errorf("the digest is the same: %v, want %v", same, tc.same)
			}
		})
	}
}

func TestALinkIsNotTheFileItLeadsTo(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	link("x", "y")(t, a)
	link("x", "z")(t, b)
	put("x", "y")(t, c)
	if da, db, dc := digest(t, a), digest(t, b), digest(t, c); da == db || da == dc {
		t.Errorf("digests %s, %s, %s", da, db, dc)
	}
}

func TestDigestOfWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "gone")} {
		_, err := task.Digest(path)
		var e *task.DigestError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a DigestError", path, err)
		}
	}
}
