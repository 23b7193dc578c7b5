package format_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		`{}`, `[]`, `null`, `"a: b"`, `{"a":[{"b":1,"c":"x,y"},{"b":2,"c":""}]}`, `[[1,2],[],[[{}]],{"a":{"b":[]}}]`,
		`{"":{"":{"":[[],{}]}}}`, `[1e300,1e-300,-0.0,0.1,123456789012345678901234567890]`, `[{"a":[1],"b":2},{"a":{"c":1}}]`,
		`["\u0000","\u0085"," ","-","- x","05","1_0","\ufeff","a\nb"]`, `{"a b":[{"c,d":1}],"[x]":"{y}"}`,
	} {
		f.Add(s)
	}
}

func roundTrip(t *testing.T, codec format.Codec, text string) {
	t.Helper()
	v, err := format.Parse([]byte(text))
	if err != nil {
		return
	}
	encoded, err := codec.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := codec.Decode(encoded)
	if err != nil {
		t.Fatalf("%v in\n%s", err, encoded)
	}
	if diff := cmp.Diff(v, back); diff != "" {
		t.Errorf("decode(encode(x)) differs (-x +got):\n%s\nencoded:\n%s", diff, encoded)
	}
}

func FuzzTOON(f *testing.F) {
	seeds(f)
	for _, s := range []string{"a[2]{x,y}:\n  1,2\n  3,4", "[1]:\n  - a[2]{x}:\n      1\n      2\n    b: 3", "a[99999999999]:", `"a"[1`, "-", "- [1]:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		codec := format.Codec{Format: format.TOON}
		roundTrip(t, codec, text)
		if v, err := codec.Decode(text); err == nil {
			roundTrip(t, codec, string(format.Canonical(v)))
		}
	})
}

func FuzzPrefixedJSON(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		codec := format.Codec{Format: format.PrefixedJSON, Prefix: "Here it is: ", Indent: 2}
		roundTrip(t, codec, text)
		_, _ = codec.Decode(text)
		_, _ = codec.Decode(codec.Prefix + text)
	})
}
