package script_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

func parse(tb testing.TB, text string) any {
	tb.Helper()
	v, err := format.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// args knows the argument note, which is absent.
func args(tb testing.TB) *script.Object {
	tb.Helper()
	tb.Helper()
	fields, _ := parse(tb, `{"id":"a","n":3,"f":1.5,"big":123456789012345678901234567890,"list":[1,{"x":null}],"o":{"k":"v"},"items":[1,2]}`).(map[string]any)
	return script.NewObject(fields, map[string]bool{"note": true, "id": true})
}

func TestExpr(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"a field of an object":                 {`args.id`, `"a"`},
		"a field by its name":                  {`args["o"]["k"]`, `"v"`},
		"a known field that is absent is None": {`args.note`, `null`},
		"get has a default":                    {`args.get("nothing", 5)`, `5`},
		"a field hides a method":               {`args.items`, `[1,2]`},
		"whole numbers stay whole":             {`args.n * 2 + 1`, `7`},
		"floats that are whole lose the point": {`args.f * 2`, `3`},
		"large numbers keep their digits":      {`args.big + 1`, `123456789012345678901234567891`},
		"nested values":                        {`args.list[1].x`, `null`},
		"objects can be made of objects":       {`dict(args.o, z = args.n)`, `{"k":"v","z":3}`},
		"membership":                           {`"id" in args and "zz" not in args`, `true`},
		"objects are equal by their fields":    {`args.o == args.o`, `true`},
		"a comprehension over names":           {`[k for k in args.o]`, `["k"]`},
		"names are sorted":                     {`args.keys()`, `["big","f","id","items","list","n","o"]`},
		"structs are objects":                  {`json.decode(json.encode(args.o))`, `{"k":"v"}`},
		"rounding":                             {`math.floor(args.f)`, `1`},
		"several lines":                        {"args.n +\n  1", "4"},
		"a comment at the end":                 {"args.id # why", `"a"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, wrong := script.Compile("x.toml", 5, tt.source, []string{"args"})
			if wrong != nil {
				t.Fatal(wrong[0])
			}
			v, err := e.Eval(script.NewThread(), args(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := script.Plain(v)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(format.Canonical(got)); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

func TestEvalFails(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"an unknown field has its nearest name": {`args.idd`, "did you mean .id?"},
		"objects do not change":                 {`args.update(x = 1)`, "no .update"},
		"an endless computation ends":           {`[x for x in range(1000000000)]`, "too many steps"},
		"an index out of range":                 {`args.list[7]`, "out of range"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, wrong := script.Compile("x.toml", 5, tt.source, []string{"args"})
			if wrong != nil {
				t.Fatal(wrong[0])
			}
			_, err := e.Eval(script.NewThread(), args(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "x.toml:5: ") {
				t.Errorf("got %v, want %q of x.toml:5", err, tt.want)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	for name, source := range map[string]string{
		"nothing": "", "a statement": "x = 1", "two expressions": "1) + (2", "two lists": "1] + [2", "an empty tuple": " ", "an unknown name": "arg", "open": "open('/etc/passwd')", "load": "load('x')",
	} {
		t.Run(name, func(t *testing.T) {
			e, wrong := script.Compile("x.toml", 5, source, []string{"args"})
			if wrong == nil {
				t.Fatalf("%v compiled", e)
			}
			if wrong[0].Line != 5 || wrong[0].File != "x.toml" {
				t.Errorf("at %s:%d", wrong[0].File, wrong[0].Line)
			}
		})
	}
}

func TestTemplate(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"expressions are filled in":   {"{args.id}-{args.n}", "a-3"},
		"None is nothing":             {"[{args.note}]", "[]"},
		"other values are JSON":       {"{args.o}", `{"k":"v"}`},
		"double braces are single":    {`{{"id": "{args.id}"}}`, `{"id": "a"}`},
		"braces within an expression": {"{ {'}': args.id}['}'] }", "a"},
		"no expressions at all":       {"plain", "plain"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tmpl, wrong := script.CompileTemplate("x.toml", 5, tt.source, []string{"args"})
			if wrong != nil {
				t.Fatal(wrong[0])
			}
			got, err := tmpl.Eval(script.NewThread(), args(t))
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, source := range []string{"{", "}", "{args.id", "{}", "{x}", "{{}"} {
		if _, wrong := script.CompileTemplate("x.toml", 5, source, []string{"args"}); wrong == nil {
			t.Errorf("%q compiled", source)
		}
	}
}

func TestPlainRefuses(t *testing.T) {
	deep := starlark.Value(starlark.None)
	for range 200 {
		deep = starlark.Tuple{deep}
	}
	self := starlark.NewList(nil)
	if err := self.Append(self); err != nil {
		t.Fatal(err)
	}
	numbered := starlark.NewDict(1)
	if err := numbered.SetKey(starlark.MakeInt(1), starlark.None); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]starlark.Value{
		"a function": starlark.NewBuiltin("f", nil), "a deep value": deep, "a list that holds itself": self, "a key that is no text": numbered,
		"infinity": starlark.Float(math.Inf(1)), "bytes": starlark.Bytes("x"),
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := script.Plain(v); err == nil {
				t.Errorf("got %v", p)
			}
		})
	}
}

func TestHandlerName(t *testing.T) {
	for tool, want := range map[string]string{"get": "get", "github.get-issue": "github_get_issue", "2fa": "_fa", "a2": "a2"} {
		if got := script.HandlerName(tool); got != want {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

func FuzzValue(f *testing.F) {
	f.Add(`{"a":[1,2.5,"x",null,true,{"b":{}}],"":123456789012345678901234567890}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := format.Parse([]byte(text))
		if err != nil {
			return
		}
		back, err := script.Plain(script.Value(v))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, back); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
