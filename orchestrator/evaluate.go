package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/verifier/score"
)

// Evaluation is a submission on the host that an evaluator of the author's own is to score.
type Evaluation struct {
	Custom *score.Custom
	// Script, Truth (empty = none) and Submission are files on the host. A submission that is missing is scored as one.
	Script, Truth, Submission string
	Tool                      Tool
	Host                      sidecar.Host
	// Guard is the command line that starts a guard for a run id.
	Guard func(runID string) []string
}

// Evaluate runs an evaluator as a trial runs it whose agent has done its work: in a container of its own, without a network, with inputs that are not its to
// change. A fault of the evaluator's is a *ScoringError, and an engine that cannot be used a *sidecar.UnusableError; other errors say what went wrong on the way.
// Nothing is left, on the host or on the engine.
func Evaluate(ctx context.Context, e *Evaluation) (total *float64, results []score.Result, err error) {
	dir, err := os.MkdirTemp("", "seatrial-score-")
	if err != nil {
		return nil, nil, fmt.Errorf("a folder to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "evaluation")
	if err := e.lay(folder); err != nil {
		return nil, nil, err
	}
	o := Options{Agent: AgentChoice{Kind: AgentNop}, Lookup: func(string) (string, bool) { return "", false }}
	rec, runs, err := Run(ctx, &Request{Paths: []string{folder}, Options: o, RunsDir: dir, RunID: "score", Tool: e.Tool, Host: e.Host, Guard: e.Guard})
	if err != nil {
		return nil, nil, err
	}
	if len(rec.Cases) != 1 {
		return nil, nil, &InterruptedError{Signal: "a signal"}
	}
	if f := rec.Cases[0].Error; f != nil {
		return nil, nil, &ScoringError{Cause: errors.New(f.Message)}
	}
	data, err := os.ReadFile(filepath.Join(runs.Path, "trials", "evaluation", "verifier", score.ScoresName))
	if err != nil {
		return nil, nil, fmt.Errorf("what the evaluator left: %w", err)
	}
	return e.Custom.Results(data)
}

// lay makes the folder of a task of which only the grading is left to do.
func (e *Evaluation) lay(dir string) error {
	const submission = "submission"
	var c struct {
		Environment struct {
			Image   string `toml:"docker_image"`
			Workdir string `toml:"workdir"`
			Network string `toml:"network_mode"`
		} `toml:"environment"`
		Verifier struct {
			Timeout float64 `toml:"timeout_sec"`
		} `toml:"verifier"`
	}
	c.Environment.Image, c.Environment.Workdir, c.Environment.Network = e.Custom.Image, "/submission", "no-network"
	c.Verifier.Timeout = e.Custom.Timeout.Seconds()
	config, err := toml.Marshal(c)
	if err != nil {
		return fmt.Errorf("a task for the evaluator: %w", err)
	}
	spec := map[string]any{"type": "custom-script", "script": filepath.Base(e.Script), "submission": "/submission/" + submission,
		"timeout_secs": e.Custom.Timeout.Seconds(), "twice": e.Custom.Twice, "image": e.Custom.Image}
	if e.Custom.Weights != nil {
		spec["weights"] = e.Custom.Weights
	}
	if e.Truth != "" {
		spec["truth"] = filepath.Base(e.Truth)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("a task for the evaluator: %w", err)
	}
	for _, sub := range []string{"environment", "tests"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("a task for the evaluator: %w", err)
		}
	}
	for name, data := range map[string][]byte{"task.toml": config, "instruction.md": []byte("Nothing is left to do.\n"), "tests/scoring.json": text} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("a task for the evaluator: %w", err)
		}
	}
	for from, to := range map[string]string{e.Script: "tests/" + filepath.Base(e.Script), e.Truth: "tests/" + filepath.Base(e.Truth), e.Submission: "environment/" + submission} {
		if from == "" {
			continue
		}
		if err := copyPlain(from, filepath.Join(dir, to)); err != nil && (from != e.Submission || !errors.Is(err, os.ErrNotExist)) {
			return &UsageError{Cause: err}
		}
	}
	return nil
}

// copyPlain copies a plain file of at most MaxAnswers bytes. A link is none: it may be an agent's.
func copyPlain(from, to string) error {
	data, err := regular.ReadItself(from, MaxAnswers)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil { // the script may be one that is run by its path
		return fmt.Errorf("a task for the evaluator: %w", err)
	}
	return nil
}
