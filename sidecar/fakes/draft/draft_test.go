package draft_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/sidecar/fakes/draft"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

func TestDrafts(t *testing.T) {
	for _, tt := range []struct {
		name, from string
		begin      func(string, draft.Options) (draft.Draft, error)
		want       draft.Draft
	}{
		{"an OpenAPI file", "shop.yaml", draft.OpenAPI, draft.Draft{Name: "corner-shop", Tools: 3}},
		{"an answer to tools-list", "mail.json", func(f string, o draft.Options) (draft.Draft, error) { return draft.MCP(t.Context(), f, o) }, draft.Draft{Name: "mail", Tools: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "environment", "fakes")
			got, err := tt.begin(filepath.Join("testdata", tt.from), draft.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if got.Name != tt.want.Name || got.Tools != tt.want.Tools || len(got.Files) != 2 {
				t.Errorf("got %+v", got)
			}
			declaration, err := os.ReadFile(got.Files[0])
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join("testdata", tt.want.Name+".toml"), string(declaration))
			f, err := spec.Load(dir)
			if err != nil {
				t.Fatalf("the draft cannot be loaded: %v", err)
			}
			if len(f.Servers) != 1 || len(f.Servers[0].Tools) != tt.want.Tools {
				t.Errorf("the draft has %d servers", len(f.Servers))
			}
			var ee *draft.ExistsError
			if _, err := tt.begin(filepath.Join("testdata", tt.from), draft.Options{Dir: dir}); !errors.As(err, &ee) {
				t.Errorf("a second draft: %v", err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("the folder holds %v (%v)", entries, err)
			}
		})
	}
}

func TestContractsThatCannotBeUsed(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":            `{"tools":`,
		"no tools":           `{"tools":[]}`,
		"tools of no list":   `{"tools":7}`,
		"a tool of no name":  `{"tools":[{"inputSchema":{"type":"object"}}]}`,
		"a schema of a text": `{"tools":[{"name":"a","inputSchema":"x"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "c.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			var ce *draft.ContractError
			out := filepath.Join(dir, "fakes")
			if _, err := draft.MCP(t.Context(), file, draft.Options{Dir: out}); !errors.As(err, &ce) {
				t.Errorf("got %v", err)
			}
			if entries, _ := os.ReadDir(out); len(entries) != 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
	t.Run("an OpenAPI file without a title", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(file, []byte(`{"openapi":"3.0.0","paths":{}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := draft.OpenAPI(file, draft.Options{Dir: t.TempDir()}); err == nil {
			t.Error("no error")
		}
	})
}
