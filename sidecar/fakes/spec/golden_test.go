package spec_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// unpack writes the files of an archive, apart from those named in its results, and gives the folder.
func unpack(tb testing.TB, a *txtar.Archive, result string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, f := range a.Files {
		if f.Name == result {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// golden runs each archive below dir; its comment names the scenario, and its file called result is what is wanted.
func golden(t *testing.T, dir, result string, run func(t *testing.T, dir, scenario string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-", " ")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			scenario := strings.TrimSpace(string(a.Comment))
			got := run(t, unpack(t, a, result), scenario)
			want := ""
			for i, f := range a.Files {
				if f.Name == result {
					want = string(f.Data)
					a.Files = append(a.Files[:i], a.Files[i+1:]...)
					break
				}
			}
			if *update {
				a.Files = append(a.Files, txtar.File{Name: result, Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	golden(t, "problems", "problems", func(t *testing.T, dir, scenario string) string {
		t.Helper()
		f, err := spec.Load(dir)
		if f == nil {
			t.Fatal(err)
		}
		if err = f.Check(scenario); err == nil {
			return ""
		}
		return err.Error() + "\n"
	})
}

func TestServers(t *testing.T) {
	golden(t, "good", "servers", func(t *testing.T, dir, scenario string) string {
		t.Helper()
		f, err := spec.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Check(scenario); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, s := range f.Servers {
			fmt.Fprintf(&b, "server %s %q %s %v\n", s.Name, s.Title, s.Version, s.Protocols)
			for _, t := range s.Tools {
				fmt.Fprintf(&b, "tool %s status=%d write=%v writes=%v steps=%d %s\n", t.Name, t.Status, t.Write(), t.Writes, len(t.Steps), t.Description)
				for name, schema := range map[string]json.RawMessage{"input": t.Input} {
					fmt.Fprintf(&b, "  %s %s\n", name, schema)
				}
				if t.Output != nil {
					fmt.Fprintf(&b, "  output %s\n", t.Output)
				}
			}
			for _, r := range s.Routes {
				fmt.Fprintf(&b, "route %s %s -> %s body=%q\n", r.Method, r.Path, r.Tool, r.Body)
				for _, p := range r.Params {
					fmt.Fprintf(&b, "  %s %s type=%q items=%q explode=%v\n", p.In, p.Name, p.Type, p.Items, p.Explode)
				}
			}
		}
		return b.String()
	})
}
