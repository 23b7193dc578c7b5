package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier/score"
)

// scoreFiles are the files that `score` works on.
type scoreFiles struct{ spec, submission, truth string }

func readSpec(name string) (*score.Spec, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, err
	}
	s, err := score.ParseSpec(text, strings.HasSuffix(name, ".toml"))
	if err != nil {
		return nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: %w", name, err)}
	}
	return s, nil
}

// compare scores by the primitives.
func (f *scoreFiles) compare(s *score.Spec, seconds *float64) (*float64, []score.Result, error) {
	if f.truth == "" && s.Truth == "" {
		return nil, nil, usage("--truth FILE is required")
	}
	name := f.beside(s.Truth)
	text, err := readFile(name)
	if err != nil {
		return nil, nil, err
	}
	expected, err := score.ParseTruth(text)
	if err != nil {
		return nil, nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: %w", name, err)}
	}
	total, results, err := s.Score(submittedIn(f.submission), expected, seconds)
	if err != nil {
		return nil, nil, &orchestrator.UsageError{Cause: err}
	}
	return &total, results, nil
}

// beside is where the expected answers are: where the flag says, else beside the specification if that names them.
func (f *scoreFiles) beside(named string) string {
	if f.truth == "" && named != "" {
		return filepath.Join(filepath.Dir(f.spec), filepath.FromSlash(named))
	}
	return f.truth
}

// evaluate runs a script of the author's own.
func (a *app) evaluate(ctx context.Context, f *scoreFiles, s *score.Spec, c *score.Custom) (*float64, []score.Result, error) {
	if c.Image == "" {
		return nil, nil, usage("the script needs an image to run in: give --image, or image in %s", f.spec)
	}
	host, err := a.host()
	if err != nil {
		return nil, nil, err
	}
	total, results, err := orchestrator.Evaluate(ctx, &orchestrator.Evaluation{Custom: c, Script: filepath.Join(filepath.Dir(f.spec), filepath.FromSlash(c.Script)),
		Truth: f.beside(s.Truth), Submission: f.submission, Tool: tool(), Host: host, Guard: guardLine})
	if errors.As(err, new(*orchestrator.ScoringError)) || errors.As(err, new(*score.ScriptError)) {
		err = &orchestrator.UsageError{Cause: err}
	}
	return total, results, err
}

// submittedIn reads a submission. It is an agent's, and may be anything: what is missing, a link (to the expected answers, say), too large or no JSON has
// nothing in it.
func submittedIn(name string) any {
	text, err := regular.ReadItself(name, orchestrator.MaxAnswers)
	if err != nil {
		return nil
	}
	v, err := score.ParseSubmission(text)
	if err != nil {
		return nil
	}
	return v
}

// readFile reads a file of the author's.
func readFile(name string) ([]byte, error) {
	data, err := regular.Read(name, orchestrator.MaxAnswers)
	if err != nil {
		return nil, usage("%s: %w", name, err)
	}
	return data, nil
}
