package bundle_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/bundle"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/task"
)

const salt = "00"

// A bundle's reader is one function before strangers; most of this is the table of what they can hand it.

// put writes files below a folder.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// trial is a run's folder with one trial, after change.
func trial(t testing.TB, change func(run string, l *lockfile.Lock)) *orchestrator.TrialPlace {
	t.Helper()
	run := t.TempDir()
	rec := &orchestrator.TrialRecord{Format: orchestrator.TrialFormat, SchemaVersion: 1, RunID: "r", TrialID: "one-1", Case: orchestrator.Case{ID: "one", Status: orchestrator.Complete}}
	l := &lockfile.Lock{Format: lockfile.Format, SchemaVersion: 1, Salt: salt, Images: map[string]lockfile.Image{"main": {ID: "sha256:01"}, "fakes": {ID: "sha256:02", Program: true}},
		Variables: []lockfile.Variable{{From: "host", Name: "KEY", Fingerprint: lockfile.Fingerprint(salt, "KEY", "topsecret-1")}, {From: "host", Name: "OTHER", Fingerprint: "00"}, {From: "host", Name: "UNSET"}}}
	put(t, run, map[string]string{"tasks/aa/one/task.toml": "version = \"1.0\"", "tasks/aa/one/tests/test.sh": "#!/bin/sh", "trials/one/agent/stdout.log": "said topsecret-1, and [masked]\n",
		"trials/one/end-state.tar.zst": "x", "trials/one/trial.json": text(t, rec)})
	if err := errors.Join(os.Chmod(filepath.Join(run, "tasks/aa/one/tests/test.sh"), 0o755), os.Symlink("/etc/passwd", filepath.Join(run, "tasks/aa/one/link")),
		os.Symlink("/etc/passwd", filepath.Join(run, "trials/one/agent/link"))); err != nil {
		t.Fatal(err)
	}
	sum, err := task.Digest(filepath.Join(run, "tasks/aa/one"))
	if err != nil {
		t.Fatal(err)
	}
	l.Task = lockfile.Folder{Name: "one", Copy: "tasks/aa/one", Checksum: sum}
	l.Captures = []lockfile.Capture{{Path: "end-state.tar.zst"}}
	if change != nil {
		change(run, l)
	}
	put(t, run, map[string]string{"trials/one/lock.json": text(t, l)})
	p, err := orchestrator.FindTrial(filepath.Join(run, "one"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// engine has one archive of images, and takes one.
type engine struct {
	saved, loaded []byte
}

func (e *engine) Save(_ context.Context, ids []string) (io.ReadCloser, error) {
	if !slices.Equal(ids, []string{"sha256:01"}) {
		return nil, errors.New("other images")
	}
	return io.NopCloser(bytes.NewReader(e.saved)), nil
}

func (e *engine) Load(_ context.Context, r io.Reader) error {
	var err error
	e.loaded, err = io.ReadAll(r)
	return err
}

func packed(t testing.TB, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpacked(t testing.TB, data []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = string(body)
	}
}

func known(name string) (string, bool) {
	v, ok := map[string]string{"KEY": "topsecret-1", "OTHER": "something else"}[name]
	return v, ok
}

func TestABundleHoldsATrial(t *testing.T) {
	t.Parallel()
	p := trial(t, nil)
	e := &engine{saved: packed(t, [2]string{"manifest.json", `[{"Config": "c.json", "RepoTags": ["busybox:latest"], "Layers": ["l"]}]`}, [2]string{"repositories", `{"busybox": {}}`},
		[2]string{"index.json", `{"schemaVersion": 2, "manifests": [{"digest": "sha256:03", "annotations": {"io.containerd.image.name": "docker.io/library/busybox:latest"}}]}`}, [2]string{"l", "layer"})}
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bundle.Write(t.Context(), p, f, bundle.Options{Images: e, Lookup: known})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Unchecked, []string{"OTHER"}) || !slices.Equal(m.LeftOut, []string{"agent/link: it is no file"}) || !bundle.Is(file) {
		t.Errorf("manifest %+v", m)
	}
	dir := t.TempDir()
	o, err := bundle.Open(t.Context(), file, dir)
	if err != nil {
		t.Fatal(err)
	}
	if o.Place.Record.TrialID != "one-1" || !o.HasImages() {
		t.Errorf("opened %+v", o)
	}
	log, err := os.ReadFile(filepath.Join(o.Place.Folder(), "agent/stdout.log"))
	if err != nil || string(log) != "said [masked], and [masked]\n" {
		t.Errorf("log %q, error %v", log, err)
	}
	l, err := orchestrator.ReadLock(o.Place)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := task.Digest(filepath.Join(o.Place.Run, l.Task.Copy)); err != nil || sum != l.Task.Checksum {
		t.Errorf("the task's digest is %s, error %v", sum, err)
	}
	if err := o.Load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got := unpacked(t, e.loaded)
	want := map[string]string{"manifest.json": `[{"Config":"c.json","Layers":["l"],"RepoTags":null}]`, "index.json": `{"manifests":[{"digest":"sha256:03"}],"schemaVersion":2}`, "l": "layer"}
	if !maps.Equal(got, want) {
		t.Errorf("loaded %q", got)
	}
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	var secret *bundle.SecretError
	p := trial(t, func(run string, _ *lockfile.Lock) {
		put(t, run, map[string]string{"tasks/aa/one/solution/solve.sh": "echo topsecret-1"})
	})
	if _, err := bundle.Write(t.Context(), p, io.Discard, bundle.Options{Lookup: known}); !errors.As(err, &secret) || !strings.HasSuffix(secret.File, "solve.sh") {
		t.Errorf("error %v", err)
	}
	p = trial(t, func(_ string, l *lockfile.Lock) { l.Captures[0].Secrets = true })
	var b bytes.Buffer
	m, err := bundle.Write(t.Context(), p, &b, bundle.Options{Lookup: known})
	if err != nil || !slices.Contains(m.LeftOut, "end-state.tar.zst: the value of a secret variable is in it") {
		t.Errorf("manifest %+v, error %v", m, err)
	}
	zip, err := zstd.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	data, err := io.ReadAll(zip)
	if err != nil || bytes.Contains(data, []byte("topsecret-1")) || bytes.Contains(data, []byte("\nend-state.tar.zst")) {
		t.Errorf("it holds what it should not; error %v", err)
	}
}

func TestWithoutACopyThereIsNoBundle(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"", "../../etc", "/etc"} {
		p := trial(t, func(_ string, l *lockfile.Lock) { l.Task.Copy = where })
		if _, err := bundle.Write(t.Context(), p, io.Discard, bundle.Options{}); err == nil {
			t.Errorf("copy %q: a bundle was written", where)
		}
	}
}

// stranger writes a bundle as somebody else may make one.
func stranger(t testing.TB, entries func(w *tar.Writer)) string {
	t.Helper()
	var b bytes.Buffer
	zip, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zip)
	entries(w)
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stranger.tar.zst")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func entry(t testing.TB, w *tar.Writer, h tar.Header, body string) {
	t.Helper()
	if h.Size = int64(len(body)); h.Mode == 0 {
		h.Mode = 0o644
	}
	if err := w.WriteHeader(&h); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
}

func TestBundlesOfStrangersAreRefused(t *testing.T) {
	t.Parallel()
	manifest := func(change func(m *bundle.Manifest)) string {
		m := &bundle.Manifest{Format: bundle.Format, SchemaVersion: 1, Trial: "one", Links: map[string]string{}}
		if change != nil {
			change(m)
		}
		return text(t, m)
	}
	good := manifest(nil)
	file := func(name, body string) func(w *tar.Writer) {
		return func(w *tar.Writer) { entry(t, w, tar.Header{Name: name, Typeflag: tar.TypeReg}, body) }
	}
	for name, c := range map[string]struct {
		manifest string
		more     func(w *tar.Writer)
		want     string
	}{
		"no trial":               {good, nil, "no trial"},
		"a newer schema":         {manifest(func(m *bundle.Manifest) { m.SchemaVersion = 2 }), nil, "upgrade seatrial"},
		"another format":         {manifest(func(m *bundle.Manifest) { m.Format = "x" }), nil, "not a bundle of ours"},
		"a manifest that is cut": {good[:20], nil, "cut"},
		"a trial that is a path": {manifest(func(m *bundle.Manifest) { m.Trial = "../../x" }), nil, "no folder can be"},
		"a name that leads out":  {good, file("run/../../../escaped", "x"), "cannot be in a bundle"},
		"an absolute name":       {good, file("/run/escaped", "x"), "cannot be in a bundle"},
		"a link": {good, func(w *tar.Writer) {
			entry(t, w, tar.Header{Name: "run/trials/one", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, "")
		}, "cannot be in a bundle"},
		"a hard link": {good, func(w *tar.Writer) {
			entry(t, w, tar.Header{Name: "run/x", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, "")
		}, "cannot be in a bundle"},
		"a device":                   {good, func(w *tar.Writer) { entry(t, w, tar.Header{Name: "run/x", Typeflag: tar.TypeChar}, "") }, "cannot be in a bundle"},
		"a link in the trial":        {manifest(func(m *bundle.Manifest) { m.Links["run/trials/one/trial.json"] = "/etc/passwd" }), nil, "no link can be at"},
		"a link that leads out":      {manifest(func(m *bundle.Manifest) { m.Links["run/tasks/../../../x"] = "/etc" }), nil, "no link can be at"},
		"a file that is twice there": {good, func(w *tar.Writer) { file("run/x", "1")(w); file("run/x", "2")(w) }, "cannot be in a bundle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := stranger(t, func(w *tar.Writer) {
				entry(t, w, tar.Header{Name: "bundle.json", Typeflag: tar.TypeReg}, c.manifest)
				if c.more != nil {
					c.more(w)
				}
			})
			above := t.TempDir()
			dir := filepath.Join(above, "a/b")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := bundle.Open(t.Context(), path, dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
			for _, out := range []string{filepath.Join(above, "escaped"), filepath.Join(above, "a/escaped"), "/run/escaped"} {
				if _, err := os.Lstat(out); err == nil {
					t.Errorf("%s was written", out)
				}
			}
		})
	}
}

func TestWhatFillsADiskIsRefused(t *testing.T) {
	t.Parallel()
	path := stranger(t, func(w *tar.Writer) {
		entry(t, w, tar.Header{Name: "bundle.json", Typeflag: tar.TypeReg}, text(t, &bundle.Manifest{Format: bundle.Format, SchemaVersion: 1, Trial: "one"}))
		entry(t, w, tar.Header{Name: "run/zeros", Typeflag: tar.TypeReg}, strings.Repeat("\x00", 400<<20))
	})
	if _, err := bundle.Open(t.Context(), path, t.TempDir()); err == nil {
		t.Error("it was unpacked")
	}
}

func TestWhatIsNoBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"text": "hello", "empty": "", "cut": "\x28\xb5\x2f\xfd"})
	for name, want := range map[string]bool{"text": false, "empty": false, ".": false, "not-there": false, "cut": true} {
		if got := bundle.Is(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := bundle.Open(t.Context(), filepath.Join(dir, "cut"), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no bundle, or cut") {
		t.Errorf("error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, e := range []string{"run/x", "../x", "bundle.json", "run/trials/one/trial.json"} {
		data, err := os.ReadFile(stranger(f, func(w *tar.Writer) {
			entry(f, w, tar.Header{Name: "bundle.json", Typeflag: tar.TypeReg}, `{"format": "seatrial-bundle", "schema_version": 1, "trial": "one"}`)
			entry(f, w, tar.Header{Name: e, Typeflag: tar.TypeReg}, "{}")
		}))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "b")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		above := t.TempDir()
		dir := filepath.Join(above, "into")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_, _ = bundle.Open(t.Context(), file, dir) // whatever it is, nothing is written elsewhere
		if list, err := os.ReadDir(above); err != nil || len(list) != 1 {
			t.Fatalf("it wrote beside its folder: %v, %v", list, err)
		}
	})
}
