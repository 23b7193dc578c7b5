package shim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		arg   string
		parts int
	}{
		{"a short spec is one argument", "echo <hi> & bye", 1},
		{"a long one is cut between characters", strings.Repeat("äöü€😀", 30_000), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := shim.Spec{Argv: []string{"sh", "-c", c.arg}, LimitMS: 5, Prepare: []shim.Prep{{Op: "empty", Path: "/tests"}}}
			argv, err := want.Command()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{shim.Path, "run"}, argv[:2]); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if len(argv)-2 != c.parts {
				t.Errorf("%d parts", len(argv)-2)
			}
			for _, part := range argv[2:] {
				// Linux: MAX_ARG_STRLEN is 131072 with the closing NUL.
				if len(part) >= 131072 || !utf8.ValidString(part) {
					t.Errorf("a part of %d bytes, valid %v", len(part), utf8.ValidString(part))
				}
			}
			var got shim.Spec
			if err := json.Unmarshal([]byte(strings.Join(argv[2:], "")), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{shim.Path, "init"}, shim.Init()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{shim.Path, "init", "--", "a", "b"}, shim.Init("a", "b")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
