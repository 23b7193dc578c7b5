package score_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

func TestWhatASubmissionMayBe(t *testing.T) {
	for _, c := range []struct{ name, text, same string }{
		{"of a key that is there twice the last one counts", `{"v": 1, "v": 2}`, `{"v": 2}`},
		{"of an object that is there twice the last one counts alone", `{"v": {"a": 1}, "v": {"b": 2}}`, `{"v": {"b": 2}}`},
		{"a key that is escaped the second time is there twice", `{"v": 1, "\u0076": 2}`, `{"v": 2}`},
		{"bytes that are not UTF-8 read as U+FFFD", "{\"v\": \"Jos\xe9\"}", `{"v": "Jos\ufffd"}`},
		{"half a surrogate pair reads as U+FFFD", `{"v": "\ud83d"}`, `{"v": "\ufffd"}`},
		{"the other half of a surrogate pair reads as U+FFFD", `{"v": "\ude00a"}`, `{"v": "\ufffda"}`},
		{"a surrogate pair is one letter", `{"v": "\ud83d\ude00"}`, `{"v": "😀"}`},
		{"a byte order mark is no part of it", "\xef\xbb\xbf{\"v\": 1}", `{"v": 1}`},
		{"white space around it is no part of it", " \r\n\t1 \n", `1`},
		{"an escaped zero is a letter", `"a\u0000"`, "\"a\\u0000\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := parse(t, c.text), parse(t, c.same); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
	for _, c := range []struct{ name, text string }{
		{"nothing at all", ``},
		{"a word", `yes`},
		{"half an object", `{"v": `},
		{"two values", `1 2`},
		{"a value and half another", `{} {`},
		{"a comma too many", `[1,]`},
		{"single quotes", `{'v': 1}`},
		{"a comment", `{} // none`},
		{"a control character in a text", "\"a\nb\""},
		{"10,001 levels", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)},
		{"UTF-16", "\xff\xfe{\x00}\x00"},
	} {
		t.Run(c.name+" is no submission", func(t *testing.T) {
			if v, err := score.ParseSubmission([]byte(c.text)); err == nil || !strings.HasPrefix(err.Error(), "not JSON: ") {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

func TestWhatExpectedAnswersMayBe(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a key that is there twice", `{"a": {"v": 1, "w": [], "v": 2}}`, `an object has the key "v" twice`},
		{"a key that is escaped the second time", `{"v": 1, "\u0076": 2}`, `an object has the key "v" twice`},
		{"a key that is there twice behind an object", `{"v": {"x": 1}, "v": 2}`, `an object has the key "v" twice`},
		{"a key that is there twice behind a list", `[1, {"v": [1, "v"], "v": 2}]`, `an object has the key "v" twice`},
		{"an empty key that is there twice", `{"": 1, "": 2}`, `an object has the key "" twice`},
		{"bytes that are not UTF-8", "\"Jos\xe9\"", `not UTF-8`},
		{"the first half of a surrogate pair", `"\ud83d"`, `\ud83d is half a surrogate pair`},
		{"the first half of a surrogate pair before a letter", `"\uD83Dabcdefgh"`, `\uD83D is half a surrogate pair`},
		{"the first half of a surrogate pair before another first half", `"\uD83D\uDBFF"`, `\uD83D is half a surrogate pair`},
		{"the first half of a surrogate pair before another escape", `"\uD9ab\u0041"`, `\uD9ab is half a surrogate pair`},
		{"the first half of a surrogate pair before a line feed", `"\uDA00\nabcdef"`, `\uDA00 is half a surrogate pair`},
		{"the second half of a surrogate pair", `"a\udc00"`, `\udc00 is half a surrogate pair`},
		{"the second half of a surrogate pair after a pair", `"\ud83d\ude00\udfff"`, `\udfff is half a surrogate pair`},
		{"the second half of a surrogate pair in a key", `{"\uDD00": 1}`, `\uDD00 is half a surrogate pair`},
		{"no JSON", `{`, `not JSON: `},
	} {
		t.Run(c.name+" is the author's fault", func(t *testing.T) {
			if v, err := score.ParseTruth([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
	for _, c := range []struct{ name, text string }{
		{"the same key in other objects", `{"v": {"v": [{"v": 1}, {"v": 2}]}, "w": {"v": 3}}`},
		{"the same text as key and value", `{"v": "v", "w": "v", "x": ["v", "v"]}`},
		{"keys that differ in case", `{"v": 1, "V": 2}`},
		{"a surrogate pair", `"\ud83d\ude00\uD83D\uDE00"`},
		{"an escaped backslash before a u", `"\\ud83d"`},
		{"escapes of all kinds", `"\"\\\/\b\f\n\r\t\u0041\uE000\ud7ff"`},
		{"huge numbers", `[1e99999, 1e-99999]`},
		{"null", `null`},
		{"10,000 levels", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)},
	} {
		t.Run(c.name+" is right", func(t *testing.T) {
			got, err := score.ParseTruth([]byte(c.text))
			if err != nil || !reflect.DeepEqual(got, parse(t, c.text)) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
