package tree_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// lines lists the nodes below n, each with its line.
func lines(n *tree.Node, b *strings.Builder) {
	if n.Key != "" {
		fmt.Fprintf(b, "%d %s\n", n.Line, n.Key)
	}
	for _, name := range n.Names {
		lines(n.Member(name), b)
	}
	for _, item := range n.Items {
		lines(item, b)
	}
}

func TestLines(t *testing.T) {
	tests := map[string]struct{ file, text, want, json string }{
		"TOML": {
			"a.toml", "z = 1\na = {c = 2, b = 3}\n\n[t.u]\nx = [\n  {y = 1},\n  {y = 2},\n]\n[[l]]\nk = 1.50\n[[l]]\nk = 2026-01-05T09:00:00Z\n[l.m]\nn=true\n",
			"1 z\n2 a\n2 a.c\n2 a.b\n4 t\n4 t.u\n5 t.u.x\n5 t.u.x[0]\n6 t.u.x[0].y\n5 t.u.x[1]\n7 t.u.x[1].y\n9 l\n9 l[0]\n10 l[0].k\n11 l[1]\n12 l[1].k\n13 l[1].m\n14 l[1].m.n\n",
			`{"a":{"b":3,"c":2},"l":[{"k":1.5},{"k":"2026-01-05T09:00:00Z","m":{"n":true}}],"t":{"u":{"x":[{"y":1},{"y":2}]}},"z":1}`,
		},
		"YAML": {
			"a.yaml", "z: 1\na: {c: 2, b: x}\nl:\n  - k: 1.50\n  - &r\n    k: null\n  - *r\n",
			"1 z\n2 a\n2 a.c\n2 a.b\n3 l\n4 l[0]\n4 l[0].k\n5 l[1]\n6 l[1].k\n5 l[2]\n6 l[2].k\n",
			`{"a":{"b":"x","c":2},"l":[{"k":1.5},{"k":null},{"k":null}],"z":1}`,
		},
		"JSON": {
			"a.json", "{\"z\": 1,\n \"a\":\n {\"c\": 1e2},\n \"l\": [\n {},\n []\n]}",
			"1 z\n2 a\n3 a.c\n4 l\n5 l[0]\n6 l[1]\n",
			`{"a":{"c":100},"l":[{},[]],"z":1}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, err := tree.Parse(tt.file, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			lines(n, &b)
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if got := string(format.Canonical(n.Value())); got != tt.json {
				t.Errorf("value %s, want %s", got, tt.json)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 8 {
		fmt.Fprintf(&bomb, "%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 10), ","))
	}
	tests := map[string]struct{ file, text string }{
		"a TOML key twice":           {"a.toml", "a = 1\na = 2"},
		"a JSON member twice":        {"a.json", `{"a":1,"a":2}`},
		"a YAML key twice":           {"a.yaml", "a: 1\na: 2"},
		"a YAML bomb":                {"a.yaml", bomb.String()},
		"a YAML number that is none": {"a.yaml", "a: .inf"},
		"a TOML number that is none": {"a.toml", "a = inf"},
		"deep TOML":                  {"a.toml", "a = " + strings.Repeat("[", 5000)},
		"deep JSON":                  {"a.json", strings.Repeat("[", 5000)},
		"half a JSON value":          {"a.json", `{"a":`},
		"two JSON values":            {"a.json", `1 2`},
		"another language":           {"a.xml", `<a/>`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, err := tree.Parse(tt.file, []byte(tt.text))
			var wrong *tree.SyntaxError
			if !errors.As(err, &wrong) {
				t.Errorf("got %v, %v; want a SyntaxError", n, err)
			}
		})
	}
}

func FuzzTree(f *testing.F) {
	f.Add("a.toml", "a = 1\n[b]\nc = [{d=1}]\n[[e]]\n[e.f]\n")
	f.Add("a.yaml", "a: &x [1, 2]\nb: *x\nc: {d: e}\n")
	f.Add("a.json", `{"a":[1,{"b":null}]}`)
	f.Fuzz(func(t *testing.T, file, text string) {
		n, err := tree.Parse(file, []byte(text))
		if err == nil {
			if _, err := format.Parse(format.Canonical(n.Value())); err != nil {
				t.Errorf("the value is no JSON: %v", err)
			}
		}
	})
}
