package schema_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/schema"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := format.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheck(t *testing.T) {
	const s = `{"type":"object","properties":{"amount":{"type":"integer","minimum":1},"to":{"type":"object","properties":{"name":{"type":"string"}}}},"required":["amount"],"additionalProperties":false}`
	tests := map[string]struct {
		value string
		want  []string
	}{
		"what fits has no reasons":       {`{"amount":5}`, nil},
		"a missing member is named":      {`{}`, []string{"missing property 'amount'"}},
		"strangers are named by name":    {`{"amount":5,"z":1,"a":1,"m":1}`, []string{"additional properties 'a', 'm', 'z' not allowed"}},
		"all reasons are given, sorted":  {`{"to":{"name":1},"amount":0}`, []string{"amount: minimum: got 0, want 1", "to.name: got number, want string"}},
		"a whole number may be a float":  {`{"amount":5.0}`, nil},
		"a text is never read as number": {`{"amount":"5"}`, []string{"amount: got string, want integer"}},
	}
	compiled, err := schema.Compile(parse(t, s))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				if diff := cmp.Diff(tt.want, compiled.Check(parse(t, tt.value))); diff != "" {
					t.Fatalf("reasons (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Run("a type that does not exist", func(t *testing.T) {
		_, err := schema.Compile(parse(t, `{"type":"text"}`))
		var wrong *schema.InvalidError
		if !errors.As(err, &wrong) {
			t.Errorf("got %v, want an InvalidError", err)
		}
	})
	for name, ref := range map[string]string{
		"a file of the host": "file:///etc/passwd", "an address": "https://example.com/a.json", "a relative file": "other.json",
	} {
		t.Run("a reference to "+name, func(t *testing.T) {
			_, err := schema.Compile(parse(t, `{"$ref":"`+ref+`"}`))
			var wrong *schema.ReferenceError
			if !errors.As(err, &wrong) {
				t.Errorf("got %v, want a ReferenceError", err)
			}
		})
	}
}
