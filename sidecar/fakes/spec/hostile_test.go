package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

const little = "reads = ['get']\n[entities.a]\n[tools.get]\nanswer = 1\n[scenarios.plain]\nseed = {a = 'rows.json'}\n"

func TestLinksAreNotFollowed(t *testing.T) {
	tests := map[string]func(dir, outside string) error{
		"a link to a file outside": func(dir, outside string) error {
			return os.Symlink(outside, filepath.Join(dir, "a", "rows.json"))
		},
		"a link within the folder": func(dir, _ string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "a", "real.json"), []byte("[]"), 0o644),
				os.Symlink("real.json", filepath.Join(dir, "a", "rows.json")))
		},
		"a folder instead of a file": func(dir, _ string) error { return os.Mkdir(filepath.Join(dir, "a", "rows.json"), 0o755) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			outside := filepath.Join(t.TempDir(), "secret.json")
			err := errors.Join(os.WriteFile(outside, []byte(`[{"id":"secret"}]`), 0o644), os.Mkdir(filepath.Join(dir, "a"), 0o755),
				os.WriteFile(filepath.Join(dir, "a", "fake.toml"), []byte(little), 0o644), spoil(dir, outside))
			if err != nil {
				t.Fatal(err)
			}
			_, err = spec.Load(dir)
			var problems spec.Problems
			if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Line != 6 {
				t.Errorf("got %v, want one problem on line 6", err)
			}
		})
	}
	t.Run("a server that is a link", func(t *testing.T) {
		dir, real := t.TempDir(), t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(real, "fake.toml"), []byte(little), 0o644), os.Symlink(real, filepath.Join(dir, "a"))); err != nil {
			t.Fatal(err)
		}
		if f, err := spec.Load(dir); err == nil || len(f.Servers) > 0 {
			t.Errorf("got %d servers, %v", len(f.Servers), err)
		}
	})
}

func TestLargeFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	big := little + "# " + strings.Repeat("x", 5<<20)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o755), os.WriteFile(filepath.Join(dir, "a", "fake.toml"), []byte(big), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Load(dir); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

func TestOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"billing", "mail"} {
		text := strings.Replace(little, "'rows.json'", "[]", 1)
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755), os.WriteFile(filepath.Join(dir, name, "fake.toml"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := spec.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if one, err := f.Only("mail"); err != nil || len(one.Servers) != 1 || one.Servers[0].Name != "mail" {
		t.Errorf("got %v, %v", one, err)
	}
	var unknown *spec.UnknownError
	if _, err := f.Only("mail", "biling"); !errors.As(err, &unknown) || unknown.Near != "billing" {
		t.Errorf("got %v, want billing as the nearest", err)
	}
}
