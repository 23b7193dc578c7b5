package report_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "a\tb\nGrüße 日本 👍", "a\tb\nGrüße 日本 👍"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"titles go", "a\x1b]0;title\ab\x1b]8;;http://x\x1b\\c", "abc"},
		{"C1 sequences go", "a\u009b31mb", "ab"},
		{"a progress line shows its last form", "10%\r50%\r100%\ndone\r\n", "100%\ndone\n"},
		{"other controls show", "a\x00b\x7f", "a\ufffdb\ufffd"},
		{"what is not UTF-8 shows", "a\xffb", "a\ufffdb"},
		{"text that turns round shows", "a\u202eb", "a\ufffdb"},
		{"a sequence that is cut off", "a\x1b[31", "a\ufffd[31"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Plain(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[31mb\r\nc\rd")
	f.Fuzz(func(t *testing.T, s string) {
		got := report.Plain(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r\x00\u202e") {
			t.Errorf("%q became %q", s, got)
		}
		if cut := report.Cut(got, 10); !utf8.ValidString(cut) || len(cut) > 50 {
			t.Errorf("%q was cut to %q", got, cut)
		}
	})
}

func TestShort(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"short text stays", "\x1b[1mabc\x1b[0m", "abc"},
		{"long text is cut between characters", strings.Repeat("界", 10), "界界界… (21 bytes more)"},
		{"what is far behind is counted", strings.Repeat("x", 3<<20), "xxxxxxxxxx… (2 MiB more)"},
		{"nothing but sequences", strings.Repeat("\x1b[1m", 1000), "… (3 KiB more)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Short(c.in, 10); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTrialsAreThoseOfACaseOrTheCaseItself(t *testing.T) {
	var names []string
	for _, c := range report.Trials([]orchestrator.Case{{ID: "a"}, {ID: "b", Trials: []orchestrator.Case{{ID: "b", Trial: 1}, {ID: "b", Trial: 2}}}}) {
		names = append(names, report.Name(c))
	}
	if got := strings.Join(names, ", "); got != "a, b [trial 1], b [trial 2]" {
		t.Errorf("got %s", got)
	}
}
