//go:build linux

package prep_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/prep"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		have string // shell-like: names ending in / are folders, a=b files, a>b links
		op   shim.Prep
		want string
		mode os.FileMode // of p
		code string      // of the only warning
	}{
		{"empty makes a folder", "", shim.Prep{Op: "empty", Path: "/x/p", Mode: 0o700}, "x/ x/p/", 0, ""},
		{"empty empties a folder", "p/ p/a=1 p/b/ p/b/c=2", shim.Prep{Op: "empty", Path: "/p", Mode: 0o711}, "p/", 0o711, ""},
		{"empty replaces a file", "p=1", shim.Prep{Op: "empty", Path: "/p"}, "p/", 0o755, ""},
		{"empty replaces a link and spares its target", "t/ t/a=1 p>t", shim.Prep{Op: "empty", Path: "/p"}, "p/ t/ t/a=1", 0o755, ""},
		{"empty spares what links in the folder point to", "t/ t/a=1 p/ p/l>../t", shim.Prep{Op: "empty", Path: "/p"}, "p/ t/ t/a=1", 0o755, ""},
		{"empty keeps what was there", "p/ p/a=1 p/l>a", shim.Prep{Op: "empty", Path: "/p", Keep: "/k/old"}, "k/ k/old/ k/old/a=1 k/old/l>a p/", 0o755, ""},
		{"empty keeps a file that was there", "p=1", shim.Prep{Op: "empty", Path: "/p", Keep: "/k"}, "k=1 p/", 0o755, ""},
		{"empty keeps a link as a link", "t/ p>t", shim.Prep{Op: "empty", Path: "/p", Keep: "/k"}, "k>t p/ t/", 0o755, ""},
		{"empty does not follow a link at the keep", "t/ t/a=1 k>t p/ p/b=2", shim.Prep{Op: "empty", Path: "/p", Keep: "/k"}, "k/ k/b=2 p/ t/ t/a=1", 0o755, ""},
		{"nothing is kept of an empty folder", "p/", shim.Prep{Op: "empty", Path: "/p", Keep: "/k"}, "p/", 0o755, ""},
		{"replace moves a folder", "p/ p/old=1 f/ f/new=2", shim.Prep{Op: "replace", Path: "/p", From: "/f", Mode: 0o750}, "p/ p/new=2", 0o750, ""},
		{"replace moves a file", "p/ p/old=1 f=2", shim.Prep{Op: "replace", Path: "/p", From: "/f"}, "p=2", 0, ""},
		{"replace replaces a link", "t/ t/a=1 p>t f/ f/new=2", shim.Prep{Op: "replace", Path: "/p", From: "/f"}, "p/ p/new=2 t/ t/a=1", 0, ""},
		{"replace keeps what was there", "p/ p/old=1 f/ f/new=2", shim.Prep{Op: "replace", Path: "/p", From: "/f", Keep: "/k"}, "k/ k/old=1 p/ p/new=2", 0, ""},
		{"replace makes parents", "f=2", shim.Prep{Op: "replace", Path: "/x/p", From: "/f"}, "x/ x/p=2", 0, ""},
		{"executable adds the bits", "p=1", shim.Prep{Op: "executable", Path: "/p"}, "p=1", 0o751, ""},
		{"executable leaves a missing file to the start", "", shim.Prep{Op: "executable", Path: "/p"}, "", 0, ""},
		{"executable follows no link", "t=1 p>t", shim.Prep{Op: "executable", Path: "/p"}, "p>t t=1", 0o640, "link_skipped"},
		{"mkdir makes parents", "", shim.Prep{Op: "mkdir", Path: "/x/p"}, "x/ x/p/", 0, ""},
		{"mkdir sets the mode of what is there", "p/ p/a=1", shim.Prep{Op: "mkdir", Path: "/p", Mode: 0o777}, "p/ p/a=1", 0o777, ""},
		{"remove removes", "p/ p/a=1 b=2", shim.Prep{Op: "remove", Path: "/p"}, "b=2", 0, ""},
		{"remove removes nothing", "b=2", shim.Prep{Op: "remove", Path: "/p"}, "b=2", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			build(t, dir, c.have)
			r, err := prep.Do([]shim.Prep{at(dir, c.op)})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, show(t, dir)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if st, err := os.Stat(dir + "/p"); c.mode != 0 && (err != nil || st.Mode().Perm() != c.mode) {
				t.Errorf("mode %v, %v", st.Mode(), err)
			}
			if kept := len(r.Kept) > 0; kept != strings.Contains(c.want, "k") {
				t.Errorf("kept %v", r.Kept)
			}
			code := ""
			for _, w := range r.Warnings {
				code += w.Code
			}
			if code != c.code {
				t.Errorf("warnings %+v", r.Warnings)
			}
		})
	}
}

func TestDoRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		have string
		op   shim.Prep
	}{
		{"an unknown op", "", shim.Prep{Op: "nonsense", Path: "/p"}},
		{"the root", "", shim.Prep{Op: "empty", Path: "ROOT/"}},
		{"a relative path", "", shim.Prep{Op: "empty", Path: "ROOTp"}},
		{"no path", "", shim.Prep{Op: "remove", Path: "ROOT"}},
		{"mkdir on a link", "t/ p>t", shim.Prep{Op: "mkdir", Path: "/p", Mode: 0o777}},
		{"mkdir on a file", "p=1", shim.Prep{Op: "mkdir", Path: "/p"}},
		{"replace by nothing", "p=1", shim.Prep{Op: "replace", Path: "/p", From: "/f"}},
		{"replace by a link", "p=1 t=2 f>t", shim.Prep{Op: "replace", Path: "/p", From: "/f"}},
		{"replace by what lies within", "p/ p/f=1", shim.Prep{Op: "replace", Path: "/p", From: "/p/f"}},
		{"replace by what lies around", "f/ f/p=1", shim.Prep{Op: "replace", Path: "/f/p", From: "/f"}},
		{"keep within", "p/ p/a=1", shim.Prep{Op: "empty", Path: "/p", Keep: "/p/k"}},
		{"executable on a folder", "p/", shim.Prep{Op: "executable", Path: "/p"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			build(t, dir, c.have)
			op := at(dir, c.op)
			_, err := prep.Do([]shim.Prep{op})
			if failed := new(prep.Error); !errors.As(err, &failed) || failed.Op != op.Op || failed.Path != op.Path {
				t.Errorf("%v", err)
			}
			if d := cmp.Diff(c.have, show(t, dir)); d != "" && !strings.Contains(c.have, ">") {
				t.Errorf("something was changed (-want +got)\n%s", d)
			}
		})
	}
}

func TestEmptyWhileSomebodyFills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/p"
	build(t, dir, "a=1")
	var stop atomic.Bool
	done := make(chan struct{})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	go func() {
		defer close(done)
		for !stop.Load() {
			if f, err := root.Create("more"); err == nil {
				_ = f.Close()
			}
		}
	}()
	_, err = prep.Do([]shim.Prep{{Op: "empty", Path: dir}})
	stop.Store(true)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if got := show(t, dir); got != "" {
		t.Errorf("it holds %q", got)
	}
}

// at puts an op's paths below dir; "ROOT" in front leaves a path as it is.
func at(dir string, op shim.Prep) shim.Prep {
	for _, p := range []*string{&op.Path, &op.From, &op.Keep} {
		if rest, ok := strings.CutPrefix(*p, "ROOT"); ok {
			*p = rest
		} else if *p != "" {
			*p = dir + *p
		}
	}
	return op
}

func build(t *testing.T, dir, have string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range strings.Fields(have) {
		var err error
		if name, text, ok := strings.Cut(e, "="); ok {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640)
		} else if name, target, ok := strings.Cut(e, ">"); ok {
			err = os.Symlink(target, filepath.Join(dir, name))
		} else {
			err = os.Mkdir(filepath.Join(dir, e), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func show(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		switch {
		case d.IsDir():
			name += "/"
		case d.Type()&os.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			name += ">" + target
		default:
			b, _ := os.ReadFile(p)
			name += "=" + string(b)
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}
