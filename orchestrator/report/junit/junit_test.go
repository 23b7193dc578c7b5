package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/junit"
	"github.com/seatrial/seatrial/verifier"
)

func ptr[T any](v T) *T { return &v }

func record(cases ...orchestrator.Case) *orchestrator.RunRecord {
	return &orchestrator.RunRecord{RunID: "r1", Status: "finished", StartedAt: time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC), Tool: orchestrator.Tool{Version: "1.2.3"},
		Runner: orchestrator.RunnerName{Name: "harbor"}, Candidate: orchestrator.Candidate{Agent: "oracle", Model: ptr("acme/large")},
		Spec: orchestrator.RunSpec{Trials: 1}, Environment: orchestrator.Environment{Docker: "28.5.2", Host: "unix:///var/run/docker.sock"}, Cases: cases,
		Summary: orchestrator.Summarize(cases, len(cases)+1)}
}

func kinds() []orchestrator.Case {
	named := func(c orchestrator.Case) orchestrator.Case {
		c.Runner, c.Task.Name, c.Timing.Total = "harbor", "org/"+c.ID, 12.3456
		return c
	}
	return []orchestrator.Case{
		named(orchestrator.Case{ID: "full", Status: "complete", Score: ptr(1.0), Scores: []verifier.Score{{Name: "reward", Value: ptr(1.0)}}}),
		named(orchestrator.Case{ID: "part", Status: "complete", Score: ptr(0.25), Scores: []verifier.Score{{Name: "tone", Value: ptr(0.25), Criteria: []verifier.Criterion{
			{Name: "polite", Value: ptr(0.0), Reasoning: "It shouts, <b>loudly</b> & long ]]>"}, {Name: "short", Value: ptr(1.0)}, {Name: "judge", Error: "no answer"}}}, {Name: "truth"}}}),
		named(orchestrator.Case{ID: "none", Status: "complete"}),
		named(orchestrator.Case{ID: "broken", Status: "incomplete", Error: &orchestrator.Fault{Code: "build_failed", Phase: "setup", Message: "Dockerfile:3: RUN make\nended with 2", Hint: "is make there?",
			Lines: []string{"\x1b[31mmake: *** no rule\x1b[0m", "a\x00b\xff"}}}),
		named(orchestrator.Case{ID: "mute", Status: "incomplete"}),
		named(orchestrator.Case{ID: "stepped", Status: "complete", Score: ptr(1.0), Warnings: []orchestrator.Warning{{Code: "agent_timed_out", Message: "after 60 s"}},
			Steps: []orchestrator.StepResult{{Name: "one", Status: "complete", Score: ptr(1.0)}, {Name: "two", Status: "skipped"}},
			Tries: []orchestrator.Try{{Code: "sandbox_lost", Message: "the engine went away"}}}),
	}
}

func write(t testing.TB, rec *orchestrator.RunRecord, bar float64) string {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, rec, junit.Options{PassBar: bar}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestKinds(t *testing.T) {
	golden.Compare(t, filepath.Join("testdata", "kinds.xml"), write(t, record(kinds()...), 1))
}

func TestTrials(t *testing.T) {
	c := orchestrator.Case{ID: "many", Runner: "harbor", Status: "complete", Score: ptr(0.5), Trials: []orchestrator.Case{
		{ID: "many", Trial: 1, Status: "complete", Score: ptr(1.0)}, {ID: "many", Trial: 3, Status: "complete", Score: ptr(0.0)}}}
	rec := record(c)
	rec.Spec.Trials, rec.Summary.Missing = 4, 0
	golden.Compare(t, filepath.Join("testdata", "trials.xml"), write(t, rec, 0.5))
}

// counted is what a reader counts, and what the document says.
type counted struct {
	tests, failures, errors, skipped int
}

func parse(t testing.TB, doc string) (seen, said counted) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(doc))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return seen, said
		}
		if err != nil {
			t.Fatalf("it does not parse: %v\n%q", err, doc)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "testcase":
			seen.tests++
		case "failure":
			seen.failures++
		case "error":
			seen.errors++
		case "skipped":
			seen.skipped++
		case "testsuites":
			for _, a := range e.Attr {
				n, _ := strconv.Atoi(a.Value)
				switch a.Name.Local {
				case "tests":
					said.tests = n
				case "failures":
					said.failures = n
				case "errors":
					said.errors = n
				case "skipped":
					said.skipped = n
				}
			}
		}
	}
}

func TestTheCountsAreThoseOfTheCases(t *testing.T) {
	for _, c := range []struct {
		name string
		rec  *orchestrator.RunRecord
		bar  float64
		want counted
	}{
		{"one of each kind", record(kinds()...), 1, counted{7, 1, 2, 2}},
		{"a lower bar passes more", record(kinds()...), 0.25, counted{7, 0, 2, 2}},
		{"an empty run", &orchestrator.RunRecord{}, 1, counted{}},
		{"a bar that is no number passes nothing", record(kinds()...), math.NaN(), counted{7, 3, 2, 2}},
		{"more missing than is listed one by one", &orchestrator.RunRecord{Summary: orchestrator.Summary{Missing: math.MaxInt32}}, 1, counted{1001, 0, 0, 1001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen, said := parse(t, write(t, c.rec, c.bar))
			if seen != c.want || said != c.want {
				t.Errorf("there are %+v, it says %+v, want %+v", seen, said, c.want)
			}
		})
	}
}

func TestWhatIsLongIsCut(t *testing.T) {
	long := strings.Repeat("界\x1b[1m", 1<<20)
	c := orchestrator.Case{ID: long, Status: "incomplete", Error: &orchestrator.Fault{Code: long, Message: long, Hint: long, Lines: []string{long, long}}}
	c.Scores = []verifier.Score{{Name: long, Criteria: []verifier.Criterion{{Name: long, Reasoning: long}}}}
	if doc := write(t, record(c), 1); len(doc) > 1<<20 {
		t.Errorf("%d bytes for one case", len(doc))
	}
}

func FuzzItAlwaysParses(f *testing.F) {
	f.Add("refund", "]]><script>\x00\xff", "a\x1b[31mb\ufffe", 0.5)
	f.Add("", "", "", -1.0)
	f.Add("\ud7ff\uffff", "<!--", "&amp;&#0;", math.Inf(1))
	f.Fuzz(func(t *testing.T, id, message, line string, score float64) {
		c := orchestrator.Case{ID: id, Runner: line, Status: "incomplete", Error: &orchestrator.Fault{Code: message, Message: message, Hint: line, Lines: []string{line}}}
		d := orchestrator.Case{ID: message, Status: "complete", Score: &score, Timing: orchestrator.Timing{Total: score},
			Scores: []verifier.Score{{Name: line, Value: &score, Criteria: []verifier.Criterion{{Name: id, Reasoning: message, Error: line}}}}}
		rec := record(c, d)
		rec.RunID, rec.Candidate.Model, rec.Environment.Host = line, &message, id
		seen, said := parse(t, write(t, rec, 1))
		if seen != said || seen.tests != 3 {
			t.Errorf("there are %+v, it says %+v", seen, said)
		}
	})
}
