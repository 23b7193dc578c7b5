package html

import (
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/verifier"
)

// clip says how much of a record's texts a page holds.
type clip struct {
	short    int // bytes of a name, a path or a value
	message  int // bytes of a message
	reason   int // bytes of a reason
	lines    int // how many last lines
	criteria int // how many criteria of a score
	list     int // how many entries of a list that is not bounded otherwise
}

// clips are the ways to cut, from the gentlest.
func clips() []clip {
	return []clip{
		{short: 500, message: 8 << 10, reason: 4 << 10, lines: 50, criteria: 500, list: 500},
		{short: 300, message: 2000, reason: 1000, lines: 20, criteria: 100, list: 100},
		{short: 200, message: 500, reason: 200, lines: 5, criteria: 20, list: 20},
		{short: 120, message: 200, reason: 0, lines: 0, criteria: 0, list: 5},
	}
}

func clean(s string, most int) string { return report.Short(s, most) }

// run is a copy of a record with its texts made plain and cut.
func (k clip) run(r *orchestrator.RunRecord) *orchestrator.RunRecord {
	out := *r
	out.RunID, out.Status = clean(r.RunID, k.short), clean(r.Status, k.short)
	out.Spec.Path, out.Spec.Args = k.texts(r.Spec.Path), k.texts(r.Spec.Args)
	out.Spec.Timeouts, out.Environment.Images = nil, nil
	out.Leaks = k.texts(r.Leaks)
	out.Cases = k.cases(r.Cases)
	return &out
}

func (k clip) cases(all []orchestrator.Case) []orchestrator.Case {
	out := slices.Clone(all)
	for i := range out {
		c := &out[i]
		c.ID, c.LegacyID, c.Runner, c.Status = clean(c.ID, k.short), clean(c.LegacyID, k.short), clean(c.Runner, k.short), clean(c.Status, k.short)
		c.Task.Name, c.Task.Path, c.Task.Checksum = clean(c.Task.Name, k.short), clean(c.Task.Path, k.short), clean(c.Task.Checksum, 100)
		if m := c.Result.ObservedModel; m != nil {
			model := clean(*m, k.short)
			c.Result.ObservedModel = &model
		}
		c.Scores, c.Error, c.Warnings = k.scores(c.Scores), k.fault(c.Error), k.warnings(c.Warnings)
		c.Steps, c.Tags, c.Tries, c.Trials = k.steps(c.Steps), k.texts(c.Tags), k.tries(c.Tries), k.cases(c.Trials)
	}
	return out
}

func (k clip) scores(all []verifier.Score) []verifier.Score {
	out := slices.Clone(all[:min(len(all), k.list)])
	for i := range out {
		s := &out[i]
		s.Name, s.Kind, s.Judge = clean(s.Name, k.short), clean(s.Kind, k.short), clean(s.Judge, k.short)
		s.Criteria = slices.Clone(s.Criteria[:min(len(s.Criteria), k.criteria)])
		for j := range s.Criteria {
			c := &s.Criteria[j]
			c.Name, c.Reasoning, c.Error = clean(c.Name, k.short), clean(c.Reasoning, k.reason), clean(c.Error, k.reason)
		}
	}
	return out
}

func (k clip) fault(f *orchestrator.Fault) *orchestrator.Fault {
	if f == nil {
		return nil
	}
	out := *f
	out.Code, out.Message, out.Hint = clean(f.Code, k.short), clean(f.Message, k.message), clean(f.Hint, k.message)
	out.Key, out.Rule, out.Service, out.Source = clean(f.Key, k.short), clean(f.Rule, k.short), clean(f.Service, k.short), clean(f.Source, k.short)
	if s, ok := f.Value.(string); ok {
		out.Value = clean(s, k.short)
	} else if f.Value != nil {
		data, _ := encode(f.Value) // it came from JSON
		out.Value = clean(string(data), k.short)
	}
	out.Lines = f.Lines[max(0, len(f.Lines)-k.lines):]
	out.Lines, out.Files = clip{short: 2000, list: k.lines}.texts(out.Lines), k.texts(f.Files)
	return &out
}

func (k clip) warnings(all []orchestrator.Warning) []orchestrator.Warning {
	out := slices.Clone(all[:min(len(all), k.list)])
	for i := range out {
		out[i].Code, out[i].Message = clean(out[i].Code, k.short), clean(out[i].Message, k.message)
	}
	return out
}

func (k clip) steps(all []orchestrator.StepResult) []orchestrator.StepResult {
	out := slices.Clone(all[:min(len(all), k.list)])
	for i := range out {
		s := &out[i]
		s.Name, s.Status, s.Scores, s.Error = clean(s.Name, k.short), clean(s.Status, k.short), k.scores(s.Scores), k.fault(s.Error)
	}
	return out
}

func (k clip) tries(all []orchestrator.Try) []orchestrator.Try {
	out := slices.Clone(all[:min(len(all), k.list)])
	for i := range out {
		out[i].Code, out[i].Message = clean(out[i].Code, k.short), clean(out[i].Message, k.message)
	}
	return out
}

func (k clip) texts(all []string) []string {
	out := slices.Clone(all[:min(len(all), k.list)])
	for i := range out {
		out[i] = clean(out[i], k.short)
	}
	return out
}
