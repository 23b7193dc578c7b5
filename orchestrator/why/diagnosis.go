package why

import (
	"fmt"
	"io"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// The format of a diagnosis as JSON. The version grows when a reader of the older one would misread the newer.
const (
	Format        = "seatrial-why"
	SchemaVersion = 1
)

// Diagnosis is what is said of a trial.
type Diagnosis struct {
	Format        string `json:"format"`
	SchemaVersion int    `json:"schema_version"`
	RunID         string `json:"run_id"`
	Trial         string `json:"trial"` // the name of its folder
	TrialID       string `json:"trial_id"`
	Case          string `json:"case"`
	Outcome       string `json:"outcome"` // in words
	// Side, Code and Sentence are those of the first finding: the verdict.
	Side     Side      `json:"side"`
	Code     string    `json:"code"`
	Sentence string    `json:"sentence"`
	Findings []Finding `json:"findings"`
}

// Of makes a diagnosis of what is known of a trial. name is the trial's folder.
func Of(name string, e *Evidence) *Diagnosis {
	t := e.Trial
	d := &Diagnosis{Format: Format, SchemaVersion: SchemaVersion, RunID: t.RunID, Trial: name, TrialID: t.TrialID, Case: t.Case.ID, Outcome: orchestrator.OutcomeOf(&t.Case).String(), Findings: Diagnose(e)}
	d.Side, d.Code, d.Sentence = d.Findings[0].Side, d.Findings[0].Code, d.Findings[0].Sentence
	return d
}

// WriteText writes a diagnosis for people at a terminal. The first line is the verdict.
func (d *Diagnosis) WriteText(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: %s", d.Side, d.Sentence)
	line("trial %s of case %s in run %s: %s", clip(d.Trial), clip(d.Case), clip(d.RunID), clip(d.Outcome))
	title := ""
	for i, f := range d.Findings {
		if now := part(i, f); now != title {
			title = now
			line("\n%s:", title)
		}
		line("  %s (%s): %s", f.Code, f.Side, clip(f.Sentence))
		for _, p := range f.Proof {
			line("      %s", clip(p))
		}
		if f.Next != "" {
			line("      next: %s", f.Next)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("the diagnosis: %w", err)
	}
	return nil
}

// part is the heading that a finding stands under.
func part(i int, f Finding) string {
	switch {
	case i == 0:
		return "evidence"
	case f.Cause:
		return "also"
	}
	return "facts"
}
