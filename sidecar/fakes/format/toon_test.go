package format_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := format.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return v
}

func TestTOON(t *testing.T) {
	tests := map[string]struct{ json, toon string }{
		"an object has a line for each member":                {`{"id":123,"name":"Ada","active":true,"none":null}`, "active: true\nid: 123\nname: Ada\nnone: null"},
		"objects nest by indentation":                         {`{"user":{"id":1,"empty":{}}}`, "user:\n  empty:\n  id: 1"},
		"an array of scalars is on one line":                  {`{"tags":["a","b c",1]}`, "tags[3]: a,b c,1"},
		"an empty array has no values":                        {`{"tags":[]}`, "tags[0]:"},
		"equal objects make a table":                          {`{"users":[{"id":1,"name":"Alice"},{"name":"Bob","id":2}]}`, "users[2]{id,name}:\n  1,Alice\n  2,Bob"},
		"arrays in an array are list items":                   {`{"pairs":[[1,2],[]]}`, "pairs[2]:\n  - [2]: 1,2\n  - [0]:"},
		"a mixed array is a list":                             {`{"items":[1,{"a":1},"text",{}]}`, "items[4]:\n  - 1\n  - a: 1\n  - text\n  -"},
		"other members of an item are one level below it":     {`[{"a":1,"b":{"c":2}},{"a":{"x":1},"b":3}]`, "[2]:\n  - a: 1\n    b:\n      c: 2\n  - a:\n      x: 1\n    b: 3"},
		"a table in the first member of an item":              {`[{"a":[{"x":1},{"x":2}],"b":3}]`, "[1]:\n  - a[2]{x}:\n      1\n      2\n    b: 3"},
		"an array at the root":                                {`[1,2]`, "[2]: 1,2"},
		"a scalar at the root":                                {`"hello world"`, "hello world"},
		"an empty object at the root is nothing":              {`{}`, ""},
		"texts that look like something else are quoted":      {`["true","null","42","05","-1","1e5","","- a"," a","a:b","a,b","[x]","{x}","-","0x1"]`, `[15]: "true","null","42","05","-1","1e5","","- a"," a","a:b","a,b","[x]","{x}","-",0x1`},
		"quotes, backslashes and line ends are escaped":       {`{"a":"\"\\\n\r\t"}`, `a: "\"\\\n\r\t"`},
		"keys that are no identifiers are quoted":             {`{"a b":1,"":2,"a.b":3,"1":4}`, "\"\": 2\n\"1\": 4\n\"a b\": 1\na.b: 3"},
		"numbers have no exponent":                            {`[1e3,1e-7,1.50,-0]`, "[4]: 1000,0.0000001,1.5,0"},
		"an array below an array of objects without a table":  {`[[{"a":1}],[[1],[2]]]`, "[2]:\n  - [1]:\n    - a: 1\n  - [2]:\n    - [1]: 1\n    - [1]: 2"},
		"letters of the world need no quotes":                 {`{"message":"Hello 世界"}`, "message: Hello 世界"},
		"a row whose value holds a colon is quoted and a row": {`[{"id":1,"url":"http://a"}]`, "[1]{id,url}:\n  1,\"http://a\""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			codec := format.Codec{Format: format.TOON}
			v := parse(t, tt.json)
			got, err := codec.Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.toon, got); diff != "" {
				t.Errorf("encoded (-want +got):\n%s", diff)
			}
			back, err := codec.Decode(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v, back); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTOONOfOthers(t *testing.T) {
	tests := map[string]struct{ toon, json string }{
		"tabs may separate":                       {"items[2\t]{a\tb}:\n  1\tx,y\n  2\tz", `{"items":[{"a":1,"b":"x,y"},{"a":2,"b":"z"}]}`},
		"pipes may separate":                      {"tags[2|]: a|b,c", `{"tags":["a","b,c"]}`},
		"blank lines between members are nothing": {"a: 1\n\nb: 2\n", `{"a":1,"b":2}`},
		"exponents are read":                      {"a: -1E+03", `{"a":-1000}`},
		"leading zeros make a text":               {"a: 05", `{"a":"05"}`},
		"Windows line ends are read":              {"a: 1\r\nb: 2\r\n", `{"a":1,"b":2}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := format.Codec{Format: format.TOON}.Decode(tt.toon)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, tt.json), got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTOONRefused(t *testing.T) {
	tests := map[string]struct {
		toon string
		line int
	}{
		"a line without a colon":          {"a: 1\nkey value", 2},
		"an unknown escape":               {`a: "\x"`, 1},
		"a text that is not closed":       {`a: "x`, 1},
		"text after the closing quote":    {`a: "x"y`, 1},
		"an odd indentation":              {"a:\n   b: 1", 2},
		"a tab as indentation":            {"a:\n\tb: 1", 2},
		"too few rows":                    {"a[3]{x,y}:\n  1,2\n  3,4", 3},
		"too many rows":                   {"a[1]{x,y}:\n  1,2\n  3,4", 3},
		"a row of another width":          {"a[1]{x,y}:\n  1,2,3", 2},
		"too few values":                  {"a[5]: a,b,c", 1},
		"too few items":                   {"a[2]:\n  - 1", 2},
		"too many items":                  {"a[1]:\n  - 1\n  - 2", 3},
		"a blank line between rows":       {"a[2]{x}:\n  1\n\n  2", 4},
		"a line deeper than any above it": {"a: 1\n    b: 2", 2},
		"one key twice":                   {"a: 1\na: 2", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v, err := format.Codec{Format: format.TOON}.Decode(tt.toon)
			var wrong *format.DecodeError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, %v; want a DecodeError", v, err)
			}
			if wrong.Line != tt.line {
				t.Errorf("line %d, want %d: %v", wrong.Line, tt.line, err)
			}
		})
	}
}
