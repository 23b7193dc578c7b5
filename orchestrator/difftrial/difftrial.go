// Package difftrial says what is not the same in two recorded trials. It reads their folders, follows no link there, and runs nothing.
package difftrial

import (
	"context"
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
)

// Format names a comparison of two trials as JSON, and SchemaVersion what its fields mean.
const (
	Format        = "seatrial-trial-diff"
	SchemaVersion = 1
)

// The parts of a comparison.
const (
	Trial     = "trial"
	Outcome   = "outcome"
	Rewards   = "rewards"
	Exits     = "exits"
	Timing    = "timing"
	Resources = "resources"
	Processes = "processes"
	Images    = "images"
	Limits    = "limits"
	Env       = "env"
	Warnings  = "warnings"
	Fakes     = "fakes"
	Logs      = "logs"
	Files     = "files"
)

// Parts are all parts, in the order in which they are shown.
func Parts() []string {
	return []string{Trial, Outcome, Rewards, Exits, Timing, Resources, Processes, Images, Limits, Env, Warnings, Fakes, Logs, Files}
}

// Diff is what two trials have in common and what not.
type Diff struct {
	Format        string `json:"format"`
	SchemaVersion int    `json:"schema_version"`
	Old           Side   `json:"old"`
	New           Side   `json:"new"`
	// Equal says that outcome and rewards are the same. It does not depend on which parts were asked for.
	Equal    bool      `json:"equal"`
	Sections []Section `json:"sections"`
	// Logs and Files are nil where they were not asked for.
	Logs  *LogsPart  `json:"logs,omitempty"`
	Files *FilesPart `json:"files,omitempty"`

	chosen bool // parts were asked for by name
}

// Side is one of the two trials.
type Side struct {
	Run     string               `json:"run"` // its folder
	RunID   string               `json:"run_id"`
	Trial   string               `json:"trial"` // the name of its folder
	TrialID string               `json:"trial_id"`
	Case    string               `json:"case"`
	Outcome orchestrator.Outcome `json:"outcome"`
}

// Compare compares two trials in the given parts; none = all of them. What cannot be read of the trials' files is part of the result. The error is a *orchestrator.UsageError for a folder that
// cannot be opened, or the cause of ctx.
func Compare(ctx context.Context, was, now *orchestrator.TrialPlace, parts []string) (*Diff, error) {
	d := &Diff{Format: Format, SchemaVersion: SchemaVersion, Old: side(was), New: side(now), Sections: []Section{}, chosen: len(parts) > 0}
	if !d.chosen {
		parts = Parts()
	}
	a, b := was.Record, now.Record
	outcome, rewards := outcomes(a, b), rewards(a, b)
	d.Equal = !outcome.Differs && !rewards.Differs
	made := map[string]func() Section{
		Trial:   func() Section { return trials(was, now) },
		Outcome: func() Section { return outcome }, Rewards: func() Section { return rewards },
		Exits: func() Section { return exits(a, b) }, Timing: func() Section { return timing(a, b) }, Resources: func() Section { return resources(a, b) },
		Processes: func() Section { return processes(a, b) }, Images: func() Section { return images(a, b) }, Limits: func() Section { return limits(a, b) },
		Env: func() Section { return env(a, b) }, Warnings: func() Section { return warnings(a, b) }, Fakes: func() Section { return fakes(a, b) },
	}
	for _, part := range Parts() {
		if section := made[part]; section != nil && slices.Contains(parts, part) {
			d.Sections = append(d.Sections, section())
		}
	}
	if !slices.Contains(parts, Logs) && !slices.Contains(parts, Files) {
		return d, nil
	}
	r, err := open(was, now)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if slices.Contains(parts, Logs) {
		d.Logs = r.logs(ctx, a, b)
	}
	if slices.Contains(parts, Files) {
		d.Files = r.files(ctx, logNames(a, b))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return d, nil
}

func side(p *orchestrator.TrialPlace) Side {
	r := p.Record
	return Side{Run: p.Run, RunID: r.RunID, Trial: p.Name, TrialID: r.TrialID, Case: r.Case.ID, Outcome: orchestrator.OutcomeOf(&r.Case)}
}
