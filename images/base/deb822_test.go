package base_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images/base"
)

func TestParagraphs(t *testing.T) {
	tests := []struct {
		name, text string
		keep       []string
		want       []base.Paragraph
		line       int // of the fault, 0 for none
	}{
		{name: "an empty file has no paragraphs", text: "\n\n"},
		{name: "blank lines part paragraphs", text: "A: 1\n\n\nB: 2\n", want: []base.Paragraph{{"A": "1"}, {"B": "2"}}},
		{name: "the last line may lack its end", text: "A: 1", want: []base.Paragraph{{"A": "1"}}},
		{name: "folded lines are joined", text: "A:\n one\n\ttwo\nB: 2\n", want: []base.Paragraph{{"A": "\none\ntwo", "B": "2"}}},
		{name: "comments are left out", text: "# hi\nA: 1\n# there\nB: 2\n", want: []base.Paragraph{{"A": "1", "B": "2"}}},
		{name: "lines may end as on Windows", text: "A: 1\r\n\r\nB: 2\r\n", want: []base.Paragraph{{"A": "1"}, {"B": "2"}}},
		{name: "only the wanted fields are kept", text: "A: 1\n more\nB: 2\n\nA: 3\n", keep: []string{"B"}, want: []base.Paragraph{{"B": "2"}}},
		{name: "a value may hold colons", text: "A: b:c\n", want: []base.Paragraph{{"A": "b:c"}}},
		{name: "a line without a colon is a fault", text: "A: 1\nnonsense\n", line: 2},
		{name: "a folded line at the start is a fault", text: "A: 1\n\n folded\n", want: []base.Paragraph{{"A": "1"}}, line: 3},
		{name: "a name with a blank is a fault", text: "A b: 1\n", line: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []base.Paragraph
			line := 0
			for p, err := range base.Paragraphs(strings.NewReader(tt.text), tt.keep...) {
				var fault *base.FormatError
				if errors.As(err, &fault) {
					line = fault.Line
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("paragraphs (-want +got):\n%s", diff)
			}
			if line != tt.line {
				t.Errorf("fault in line %d, want %d", line, tt.line)
			}
		})
	}
}

func TestParagraphsRefusesALineWithoutEnd(t *testing.T) {
	text := "A: " + strings.Repeat("x", 2<<20)
	for _, err := range base.Paragraphs(strings.NewReader(text)) {
		if err == nil {
			t.Error("a line of 2 MiB was taken")
		}
	}
}

func FuzzParagraphs(f *testing.F) {
	f.Add("A: 1\n folded\n\nB: 2\n")
	f.Add("# c\nA:\n .\n")
	f.Add(" x")
	f.Fuzz(func(t *testing.T, text string) {
		for p, err := range base.Paragraphs(strings.NewReader(text)) {
			if err == nil && len(p) == 0 {
				t.Error("an empty paragraph")
			}
			for name := range p {
				if name == "" || strings.ContainsAny(name, ": \n") {
					t.Errorf("%q is no field name", name)
				}
			}
		}
	})
}
