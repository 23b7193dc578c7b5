package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

func TestEncode(t *testing.T) {
	tests := map[string]struct {
		codec format.Codec
		json  string
		want  string
	}{
		"JSON sorts members by name":              {format.Codec{Format: format.JSON}, `{"b":1,"a":"<&>é"}`, `{"a":"<&>é","b":1}`},
		"JSON keeps a declared order":             {format.Codec{Format: format.JSON, Order: format.Order{"id": 0, "name": 1}}, `{"a":1,"name":2,"id":3}`, `{"id":3,"name":2,"a":1}`},
		"JSON may be indented":                    {format.Codec{Format: format.JSON, Indent: 2}, `{"a":[1]}`, "{\n  \"a\": [\n    1\n  ]\n}"},
		"prefixed JSON has its prefix":            {format.Codec{Format: format.PrefixedJSON, Prefix: "Result: "}, `[1]`, `Result: [1]`},
		"whole numbers are spelt alike":           {format.Codec{Format: format.JSON}, `[1.0,1e2,-0.0,12345678901234567890,1.5e-7]`, `[1,100,0,12345678901234567890,1.5e-7]`},
		"text is the string that the answer is":   {format.Codec{Format: format.Text}, `"{\"a\":1}"`, `{"a":1}`},
		"TOON follows the declared order as well": {format.Codec{Format: format.TOON, Order: format.Order{"id": 0}}, `[{"a":1,"id":2}]`, "[1]{id,a}:\n  2,1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := parse(t, tt.json)
			got, err := tt.codec.Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			back, err := tt.codec.Decode(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v, back); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextCarriesStringsAlone(t *testing.T) {
	_, err := format.Codec{Format: format.Text}.Encode(map[string]any{})
	var wrong *format.EncodeError
	if !errors.As(err, &wrong) {
		t.Errorf("got %v, want an EncodeError", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"two values":       `{} {}`,
		"half a value":     `{"a":`,
		"nothing":          ``,
		"a number too big": `1e999`,
		"too deep a value": strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		t.Run(name, func(t *testing.T) {
			if v, err := format.Parse([]byte(text)); err == nil {
				t.Errorf("got %v, want an error", v)
			}
		})
	}
}
