package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// declared gives the files of this name in the golden archives, as seeds.
func declared(f *testing.F, name string) []string {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var texts []string
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, one := range a.Files {
			if filepath.Base(one.Name) == name {
				texts = append(texts, string(one.Data))
			}
		}
	}
	return texts
}

// try loads and checks one server and reports whatever is not an orderly answer.
func try(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "a", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	f, err := spec.Load(dir)
	var problems spec.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatalf("not Problems: %v", err)
	}
	if err := f.Check("plain"); err != nil && !errors.As(err, &problems) {
		t.Fatalf("not Problems: %v", err)
	}
	_ = problems.Error()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func FuzzFakeTOML(f *testing.F) {
	for _, text := range declared(f, "fake.toml") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { try(t, map[string]string{"fake.toml": text}) })
}

func FuzzScenario(f *testing.F) {
	f.Add("[seed]\ninvoice = [{id = 'a'}]\n[[faults]]\ntool = 'get'\nkind = 'delay'\ndelay_ms = 5\nmatch = {id = 'a'}\n", `[{"id":"b"}]`)
	f.Add("extends = 'plain'\n[seed]\ninvoice = 'rows.json'\n", `{"a":{"x":1},"b":{"id":"c"}}`)
	f.Fuzz(func(t *testing.T, scenario, rows string) {
		try(t, map[string]string{
			"fake.toml":            "reads = ['get']\n[entities.invoice]\n[tools.get]\nanswer = 1\n",
			"scenarios/plain.toml": scenario, "rows.json": rows,
		})
	})
}

func FuzzOpenAPI(f *testing.F) {
	for _, text := range declared(f, "openapi.yaml") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		try(t, map[string]string{"fake.toml": "protocols = ['http']\n[contract]\nopenapi = 'o.yaml'\n", "o.yaml": text})
	})
}

func FuzzHandlers(f *testing.F) {
	f.Add("def get(args, db, ctx):\n    return [x for x in db.list('a')]\n", "args.id + {'a': 1}['a']", "id {args.id} {{x}}")
	f.Fuzz(func(t *testing.T, handlers, expr, template string) {
		try(t, map[string]string{
			"fake.yaml":     "reads: [get, put]\ntools:\n  get: {}\n  put:\n    text: " + quote(template) + "\n    steps: [{op: let, as: x, value: " + quote(expr) + "}]\n",
			"handlers.star": handlers,
		})
	})
}

func quote(s string) string {
	blank := func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}
	return "'" + strings.ReplaceAll(strings.Map(blank, s), "'", "''") + "'"
}
