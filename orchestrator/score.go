package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
	"github.com/seatrial/seatrial/verifier/score"
)

// ScoringError says that no score could be come to, and that the agent is not to blame.
type ScoringError struct{ Cause error }

func (e *ScoringError) Error() string { return "scoring: " + e.Cause.Error() }

func (e *ScoringError) Unwrap() error { return e.Cause }

// ScoringFacts is what a step without a test script was scored by.
type ScoringFacts struct {
	Spec       string `json:"spec"`       // below the task's folder
	Submission string `json:"submission"` // in the agent's container
	Bytes      int64  `json:"bytes"`
	// Problem says why there is nothing in the submission; empty if it could be read.
	Problem string `json:"problem,omitempty"`
}

// score compares what the agent left with the expected answers, here: nothing is run in any container. Where the task wants its verifier apart, the agent's
// containers are frozen meanwhile.
func (t *trial) score(ctx context.Context) error {
	if t.step.plan.Part.Mode == task.Separate {
		if err := t.work.box.Pause(ctx); err != nil {
			return fmt.Errorf("freeze the agent's containers: %w", err)
		}
	}
	p := t.step.plan.Score
	facts := &ScoringFacts{Spec: p.File, Submission: p.Submission}
	t.step.facts.Scoring = facts
	answers, err := t.work.submission(ctx, facts)
	if err != nil {
		return err
	}
	total, results, err := p.Spec.Score(answers, p.Truth, t.agentSeconds())
	if err != nil {
		return &ScoringError{Cause: err}
	}
	if facts.Problem != "" {
		for i := range results {
			results[i].Error = "the submission " + p.Submission + " " + facts.Problem
		}
	}
	t.step.rewards.tests = testsRun{res: &sidecar.Result{}}
	if err := t.scored(&total, results); err != nil {
		return err
	}
	if t.step.plan.Part.Mode == task.Separate && !t.last() {
		return t.resume(ctx)
	}
	return nil
}

// agentSeconds is how long the agent took: nothing for one that did nothing, and nil where its end is not known.
func (t *trial) agentSeconds() *float64 {
	a := t.step.facts.Agent
	if a == nil {
		return new(float64)
	}
	if a.Exit == nil {
		return nil
	}
	return &a.Seconds
}

// submission reads the answers out of the agent's container. They are an agent's, and may be anything: what is missing, a link, a folder, too large or no JSON has
// nothing in it.
func (s *site) submission(ctx context.Context, facts *ScoringFacts) (any, error) {
	name := s.inWorkdir(facts.Submission)
	base := path.Base(name)
	opt := archive.UnpackOptions{Capture: map[string]int64{base: MaxAnswers + 1}, Limits: archive.Limits{Stream: MaxAnswers + 1<<20}}
	list, err := s.unpacked(ctx, name, nil, opt)
	got, there := list.Captured[base]
	var full *archive.LimitError
	switch {
	case errdefs.IsNotFound(err):
		facts.Problem = "is not there"
		return nil, nil
	case there && got.Kind != archive.KindFile:
		facts.Problem = "is no plain file (" + got.Kind + ")"
		return nil, nil
	case there && got.Size > MaxAnswers || errors.As(err, &full):
		facts.Bytes, facts.Problem = got.Size, fmt.Sprintf("is larger than %d bytes", MaxAnswers)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("fetch %s: %w", name, err)
	case !there:
		facts.Problem = "is no plain file"
		return nil, nil
	case got.Broken:
		return nil, fmt.Errorf("fetch %s: %w", name, io.ErrUnexpectedEOF)
	}
	facts.Bytes = got.Size
	v, err := score.ParseSubmission(got.Data)
	if err != nil {
		facts.Problem = "is " + err.Error()
		return nil, nil
	}
	return v, nil
}

// scored keeps what was come to as the step's rewards: for judging, and in the trial's folder.
func (t *trial) scored(total *float64, results []score.Result) error {
	rewards, details, err := score.Files(total, results)
	if err != nil {
		return &ScoringError{Cause: err}
	}
	f := &t.step.rewards.files
	f.RewardJSON, f.Details = &verifier.File{Data: rewards, Size: int64(len(rewards))}, &verifier.File{Data: details, Size: int64(len(details))}
	f.RewardTXT, f.Contract = nil, nil
	for name, data := range map[string][]byte{verifier.RewardJSONName: rewards, verifier.DetailsName: details} {
		if err := t.dir.Write(t.step.host("verifier", name), []byte(t.mask.String(string(data)))); err != nil {
			return err
		}
	}
	return nil
}

// evaluate runs the task's own evaluator in its container, two times where a difference is to be found, and keeps what it came to.
func (a *apart) evaluate(ctx context.Context) error {
	p := a.step.plan.Score
	a.step.facts.Scoring = &ScoringFacts{Spec: p.File, Submission: p.Submission}
	if err := a.verify(ctx, true, a.crossed, a.script(1)); err != nil {
		return &ApartError{Cause: err}
	}
	if !p.Spec.Custom.Twice || a.step.rewards.tests.res.Start != nil || a.step.rewards.tests.res.Limit != "" {
		return nil
	}
	first, err := a.scores(ctx)
	if err != nil {
		return err
	}
	if err := a.verify(ctx, true, nil, a.script(2)); err != nil {
		return &ApartError{Cause: err}
	}
	second, err := a.scores(ctx)
	if err != nil {
		return err
	}
	if string(first) != string(second) {
		return &ScoringError{Cause: &score.ScriptError{What: "two runs on the same submission left different scores"}}
	}
	return nil
}

// scores reads what the evaluator left; nothing if it left nothing.
func (a *apart) scores(ctx context.Context) ([]byte, error) {
	err := a.fetchReward(ctx, score.ScoresName, score.MaxScoresBytes+1)
	if err != nil && !errdefs.IsNotFound(err) {
		return nil, err
	}
	if f := a.step.rewards.scores; f != nil && f.Problem == "" {
		return f.Data, nil
	}
	return nil, nil
}

// evaluated turns what the evaluator left into rewards.
func (t *trial) evaluated() error {
	p, res := t.step.plan.Score, t.step.rewards.tests.res
	if res == nil || res.Start != nil || res.Limit != "" {
		return nil // how it ended says it all
	}
	f := t.step.rewards.scores
	switch {
	case f == nil:
		return &ScoringError{Cause: &score.ScriptError{What: fmt.Sprintf("it ended with exit code %d and left no /logs/verifier/%s; its output is in the trial's verifier folder", res.Exit, score.ScoresName)}}
	case f.Problem != "":
		return &ScoringError{Cause: &score.ScriptError{What: score.ScoresName + " is no plain file (" + f.Problem + ")"}}
	}
	total, results, err := p.Spec.Custom.Results(f.Data)
	if err != nil {
		return &ScoringError{Cause: err}
	}
	return t.scored(total, results)
}

// evaluatorEnv is what an evaluator finds in its environment.
func (s *ScorePlan) evaluatorEnv(seconds *float64, submission string) map[string]string {
	env := map[string]string{"SEATRIAL_SUBMISSION": submission, "SEATRIAL_OUT": "/logs/verifier/" + score.ScoresName}
	if s.Spec.Truth != "" {
		env["SEATRIAL_TRUTH"] = "/tests/" + s.Spec.Truth
	}
	if seconds != nil {
		env["SEATRIAL_AGENT_SECONDS"] = fmt.Sprintf("%.3f", *seconds)
	}
	return env
}

// verifierLimit is that of an evaluator, where it is shorter than the task's.
func (s *ScorePlan) verifierLimit(l Limit) Limit {
	if s != nil && s.Spec.Custom != nil && s.Spec.Custom.Timeout < l.Value {
		return Limit{Phase: l.Phase, Value: s.Spec.Custom.Timeout, Source: s.File + " timeout_secs, or its default"}
	}
	return l
}

// scoringSlack is for the second run of an evaluator.
func (s *StepPlan) scoringSlack(l Limit) time.Duration {
	if s.Score != nil && s.Score.Spec.Custom != nil && s.Score.Spec.Custom.Twice {
		return l.Value + phaseSlack
	}
	return phaseSlack
}
