package score_test

import (
	"strings"
	"testing"
)

func TestFuzzyString(t *testing.T) {
	letters := func(n int) string { return `"` + strings.Repeat("😀", n) + `"` }
	checkCells(t, []cell{
		{"equal texts are full", fuzzy, `"abc"`, `"abc"`, 1},
		{"both empty are full", fuzzy, `""`, `""`, 1},
		{"both of white space only are full", fuzzy, `" \n"`, `"\t"`, 1},
		{"an empty text is 0", fuzzy, `""`, `"abc"`, 0},
		{"a text where an empty one is expected is 0", fuzzy, `"abc"`, `""`, 0},
		{"kitten is three letters from sitting", fuzzy, `"kitten"`, `"sitting"`, 4.0 / 7},
		{"sitting is three letters from kitten", fuzzy, `"sitting"`, `"kitten"`, 4.0 / 7},
		{"nothing alike is 0", fuzzy, `"abc"`, `"xyz"`, 0},
		{"capitals do not count", fuzzy, `"ABC"`, `"abc"`, 1},
		{"a dotted capital I is not i", fuzzy, `"İ"`, `"i"`, 0},
		{"runs of white space are one space", fuzzy, `"a  b"`, `"a b"`, 1},
		{"white space at the ends does not count", fuzzy, "\" a\\u00a0\\t\\u2003b\\n\"", `"a b"`, 1},
		{"white space within counts", fuzzy, `"ab"`, `"a b"`, 2.0 / 3},
		{"composed and decomposed letters are the same", fuzzy, `"\u00e9"`, `"e\u0301"`, 1},
		{"two other emoji are two other letters", fuzzy, `"😀"`, `"😁"`, 0},
		{"a letter outside the basic plane is one letter", fuzzy, `"a😀"`, `"a"`, 0.5},
		{"below min is 0", fuzzy + `, "min": 0.9`, `"kitten"`, `"sitting"`, 0},
		{"above min is as alike as it is", fuzzy + `, "min": 0.5`, `"kitten"`, `"sitting"`, 4.0 / 7},
		{"just min is kept where floats would lose it", fuzzy + `, "min": 0.1`, `"aaaaaaaaaa"`, `"abbbbbbbbb"`, 0.1},
		{"a min of 1 takes equal texts only", fuzzy + `, "min": 1`, `"A"`, `"a"`, 1},
		{"null is no text", fuzzy, `null`, `"null"`, mistyped},
		{"a number is no text", fuzzy, `1`, `"1"`, mistyped},
		{"absent is 0", fuzzy, `absent`, `"a"`, 0},
		{"absent is 0 where an empty text is expected", fuzzy, `absent`, `""`, 0},
		{"an expected null is the author's fault where the answer is absent", fuzzy, `absent`, `null`, fault},
		{"an expected number is the author's fault", fuzzy, `"1"`, `1`, fault},
		{"an expected answer that is absent is the author's fault", fuzzy, `"1"`, `absent`, fault},
		{"10,000 letters are compared", fuzzy, letters(10_000), letters(5_000), 0.5},
		{"an answer of more than 10,000 letters is the agent's error", fuzzy, letters(10_001), `"a"`, mistyped},
		{"an expected answer of more than 10,000 letters is the author's fault", fuzzy, `"a"`, letters(10_001), fault},
		{"white space that does not count is no letter of 10,000", fuzzy, `"a` + strings.Repeat(" ", 20_000) + `"`, `"a"`, 1},
	})
}
