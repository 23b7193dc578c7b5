package junit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// document is a run in JUnit's form.
func document(rec *orchestrator.RunRecord, o Options) *suites {
	doc := &suites{Name: text("seatrial " + rec.RunID)}
	for i := range rec.Cases {
		c := &rec.Cases[i]
		s := doc.suite(rec, c.Runner)
		for _, t := range report.Trials(rec.Cases[i : i+1]) {
			s.add(trial(c, t, o))
		}
		for _, n := range notRun(c, rec.Spec.Trials) {
			s.add(skipped(text(report.Name(&orchestrator.Case{ID: c.ID, Trial: n})), class(c), "it was not run"))
		}
	}
	if rec.Summary.Missing > 0 {
		doc.suite(rec, rec.Runner.Name).missing(rec.Summary.Missing)
	}
	if len(doc.Suites) == 0 {
		doc.suite(rec, rec.Runner.Name)
	}
	slices.SortStableFunc(doc.Suites, func(a, b *suite) int { return cmp.Compare(a.Name, b.Name) })
	total := 0.0
	for _, s := range doc.Suites {
		s.count()
		doc.Tests, doc.Failures, doc.Errors, doc.Skipped = doc.Tests+s.Tests, doc.Failures+s.Failures, doc.Errors+s.Errors, doc.Skipped+s.Skipped
		total += s.seconds
	}
	doc.Time = seconds(total)
	return doc
}

// suite is that of a runner, which is made when it is first asked for.
func (doc *suites) suite(rec *orchestrator.RunRecord, runner string) *suite {
	name := text(cmp.Or(runner, rec.Runner.Name, "seatrial"))
	for _, s := range doc.Suites {
		if s.Name == name {
			return s
		}
	}
	s := &suite{Name: name, Hostname: text(rec.Environment.Host), Properties: properties(rec)}
	if !rec.StartedAt.IsZero() {
		s.Timestamp = rec.StartedAt.UTC().Format(time.DateOnly + "T" + time.TimeOnly)
	}
	doc.Suites = append(doc.Suites, s)
	return s
}

// properties are the facts of a run.
func properties(rec *orchestrator.RunRecord) []property {
	out := []property{{"run_id", rec.RunID}, {"status", rec.Status}, {"agent", rec.Candidate.Agent}}
	if rec.Candidate.Version != "" {
		out = append(out, property{"agent_version", rec.Candidate.Version})
	}
	if rec.Candidate.Model != nil {
		out = append(out, property{"model", *rec.Candidate.Model})
	}
	out = append(out, property{"seatrial", rec.Tool.Version}, property{"docker", rec.Environment.Docker})
	if m := rec.Summary.MeanScore; m != nil {
		out = append(out, property{"mean_score", strconv.FormatFloat(*m, 'g', -1, 64)})
	}
	for i := range out {
		out[i].Value = text(out[i].Value)
	}
	return out
}

// notRun are the numbers of the trials of a case that are planned and not there.
func notRun(c *orchestrator.Case, planned int) []int {
	if len(c.Trials) == 0 || planned > mostMissing {
		return nil
	}
	there := map[int]bool{}
	for i := range c.Trials {
		there[c.Trials[i].Trial] = true
	}
	var out []int
	for n := 1; n <= planned; n++ {
		if !there[n] {
			out = append(out, n)
		}
	}
	return out
}

// mostMissing bounds how many entries stand for cases of which nothing but their number is known.
const mostMissing = 1000

// missing adds cases that were planned and not run. Their names are not known.
func (s *suite) missing(n int) {
	for i := range min(n, mostMissing) {
		s.add(skipped("not run "+strconv.Itoa(i+1), "not run", "it was planned and not run"))
	}
	if n > mostMissing {
		s.add(skipped(fmt.Sprintf("not run %d to %d", mostMissing+1, n), "not run", fmt.Sprintf("%d more were planned and not run", n-mostMissing)))
	}
}

func skipped(name, class, why string) testCase {
	return testCase{Name: name, ClassName: class, Time: seconds(0), Skipped: &reason{Message: why}}
}

func (s *suite) add(t testCase) { s.Cases = append(s.Cases, t) }

func (s *suite) count() {
	for i := range s.Cases {
		c := &s.Cases[i]
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
		v, _ := strconv.ParseFloat(c.Time, 64) // seconds wrote it
		s.seconds += v
	}
	s.Time = seconds(s.seconds)
}

// seconds writes a duration as the schema wants it: a decimal number that is not negative. A record of somebody else may hold anything.
func seconds(v float64) string {
	const year = 365 * 24 * 3600
	if math.IsNaN(v) || v < 0 {
		v = 0
	}
	return strconv.FormatFloat(min(v, 100*year), 'f', 3, 64)
}

// text is a name or a short value: readable, and bounded.
func text(s string) string { return report.Short(s, 1000) }
