package compare_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/compare"
)

// shown is a comparison in all its forms.
func shown(t *testing.T, c *compare.Comparison) string {
	t.Helper()
	data, err := orchestrator.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + form(t, c, "txt") + form(t, c, "md")
}

func form(t *testing.T, c *compare.Comparison, kind string) string {
	t.Helper()
	var b strings.Builder
	var err error
	switch kind {
	case "txt":
		err = compare.WriteText(&b, c)
	case "md":
		err = compare.WriteMarkdown(&b, c)
	default:
		var data []byte
		data, err = orchestrator.Encode(c)
		b.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const nasty = "a|b<img src=x>\x1b[2J`*_@team\u202e [x](http://e) #1\n| www.x.org"

func comparisons(t *testing.T) map[string]*compare.Comparison {
	t.Helper()
	was := run("20261130T100000Z-old", scored("refund", 1, dim("reward", 1), dim("truth", 1), absent("tone")), scored("late", 0.5, dim("truth", 0.5), dim("tone", 0.25)), scored("same", 1), scored("hidden", 0.99999),
		scored("broke", 1), broken("fixed", "build_failed"), unscored("scoreless"), scored("gone", 0.25), named("org/renamed", "org/renamed", 0), scored("rules", 1))
	derived := scored("late", 0.75, dim("truth", 0.5), dim("tone", 1))
	derived.ScoreDerived = true
	now := run("20261130T110000Z-new", scored("refund", 0.5, dim("reward", 0.5), dim("truth", 0.25), dim("tone", 1)), derived, scored("same", 1), scored("hidden", 1), broken("broke", "sandbox_lost"),
		scored("fixed", 1), unscored("scoreless"), scored("fresh", 1), named("renamed", "org/renamed", 1), harbor("rules", 17))
	now.Candidate.Model, now.Status, now.Summary.Missing = ptr("m-2"), orchestrator.RunInterrupted, 2
	was.Cases[0].Task.Checksum, now.Cases[0].Task.Checksum = "sha256:1", "sha256:2"

	several := run("old", tried("a", 1, 1, 1, 0), tried("b", 0, 0, 0, 0), tried("c", 1, 0, 1, 0), scored("d", 1))
	again := run("new", tried("a", 1, 0, 1, 0), tried("b", 1, 0, 0, 0), tried("c", 1, 0, 0, 1), scored("d", 1))
	several.Spec.Trials, again.Spec.Trials = 4, 4

	evil := run(nasty, scored(nasty, 1, dim(nasty, 1)), broken("x"+nasty, nasty))
	worse := run(nasty, scored(nasty, 0, dim(nasty, 0)), broken("y"+nasty, nasty))
	evil.Environment.Images, worse.Environment.Images = map[string]string{nasty: "1"}, map[string]string{nasty: "2"}
	evil.Candidate.Model, worse.Candidate.Agent = ptr(nasty), nasty
	return map[string]*compare.Comparison{"mixed": compared(t, was, now), "trials": compared(t, several, again), "same": compared(t, was, was), "nasty": compared(t, evil, worse)}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for name, c := range comparisons(t) {
		for _, kind := range []string{"txt", "md", "json"} {
			golden.Compare(t, filepath.Join("testdata", name+"."+kind), form(t, c, kind))
		}
	}
}

func TestForeignTextIsNoMarkup(t *testing.T) {
	t.Parallel()
	c := comparisons(t)["nasty"]
	for _, kind := range []string{"txt", "md"} {
		got := form(t, c, kind)
		for _, bad := range []string{"\x1b", "\u202e", "\r"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s holds %q", kind, bad)
			}
		}
	}
	got := form(t, c, "md")
	for _, bad := range []string{"<img", "a|b", "@team", "`", "[x]", "http:", "www.", " #1", "*_"} {
		if strings.Contains(got, bad) {
			t.Errorf("the markup %q stands as it is:\n%s", bad, got)
		}
	}
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "| <code>") && strings.Count(line, "|") < 3 {
			t.Errorf("a row is broken: %s", line)
		}
	}
}

func TestALongTableIsCutInMarkdown(t *testing.T) {
	t.Parallel()
	var was, now []orchestrator.Case
	for i := range 3000 {
		id := strings.Repeat("x", 190) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		was, now = append(was, scored(id, 1)), append(now, scored(id, 0))
	}
	got := form(t, compared(t, run("old", was...), run("new", now...)), "md")
	if !strings.Contains(got, "\nand 2950 more\n") || len(got) > 65536 {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzAnyRecordsAreCompared(f *testing.F) {
	f.Add([]byte(`{"format": "seatrial-run", "schema_version": 1, "cases": [{"id": "a", "status": "complete", "score": 1, "scores": [{"name": "x", "value": 1}, {"name": "x"}]}]}`),
		[]byte(`{"format": "seatrial-run", "schema_version": 1, "spec": {"trials": 2}, "cases": [{"id": "b", "legacy_id": "a", "status": "complete", "score": 1e308, "trials": [{"status": "complete", "score": -1e308}]}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		was, err := orchestrator.DecodeRun(a)
		if err != nil {
			return
		}
		now, err := orchestrator.DecodeRun(b)
		if err != nil {
			return
		}
		for _, bar := range []*float64{nil, ptr(0.5)} {
			c, err := compare.Compare(was, now, compare.Options{PassBar: bar})
			if err != nil {
				continue
			}
			got := shown(t, c)
			if strings.ContainsAny(form(t, c, "txt")+form(t, c, "md"), "\x1b\r\u202e") || got != shown(t, c) {
				t.Errorf("%q", got)
			}
			_, _ = c.Exit(compare.Gates{})
			_ = c.Strict(nil)
		}
	})
}
