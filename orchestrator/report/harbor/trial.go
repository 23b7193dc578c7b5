package harbor

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// trialResult is a trial in Harbor's form. name is that of its folder.
func (j *job) trialResult(name string, t *orchestrator.TrialRecord, checksum string, zone *time.Location) *TrialResult {
	c := &t.Case
	at := local(t.FinishedAt, zone)
	p := phasesOf(t)
	r := &TrialResult{ID: uuid(t.RunID, t.TrialID), TaskName: c.Task.Name, TrialName: name, TrialURI: fileURI(j.folder + "/" + name), TaskID: taskID(&c.Task), TaskChecksum: checksum,
		Config: j.trialConfig(name, &c.Task), AgentInfo: agentInfo(j.run), AgentResult: agentResult(c), VerifierResult: rewards(c.Status, c.Scores),
		StartedAt: utc(t.StartedAt), FinishedAt: utc(t.FinishedAt), EnvironmentSetup: p.environment, AgentSetup: p.setup, AgentExecution: p.agent, Verifier: p.verifier,
		StepResults: j.steps(t, at)}
	r.Source = r.Config.Task.Source
	switch {
	case c.Error != nil:
		r.ExceptionInfo = exceptionOf(c.Error, at)
	case len(c.Steps) == 0:
		r.ExceptionInfo = warned(j.run, c.Warnings, at)
	}
	return r
}

// agentResult is what the agent used; nil when it was never its turn.
func agentResult(c *orchestrator.Case) *AgentResult {
	if c.Timing.Agent == nil {
		return nil
	}
	own := Own{CaseID: c.ID, Status: c.Status, Score: c.Score, TaskDigest: c.Task.Checksum, Tries: 1 + len(c.Tries)}
	if c.Error != nil {
		own.ErrorCode = &c.Error.Code
	}
	r := &AgentResult{CostUSD: c.Result.Cost, Metadata: Metadata{Seatrial: own}}
	if k := c.Result.Tokens; k != nil {
		r.InputTokens, r.CacheTokens, r.OutputTokens = k.Input, k.Cached, k.Output
	}
	return r
}

// rewards are the scores that apply; nil when there is no verdict.
func rewards(status string, scores []verifier.Score) *VerifierResult {
	if status != orchestrator.Complete {
		return nil
	}
	v := &VerifierResult{Rewards: map[string]float64{}}
	for _, s := range scores {
		if s.Value != nil {
			v.Rewards[s.Name] = *s.Value
		}
	}
	return v
}

// steps are those that took place; nil for a task without any.
func (j *job) steps(t *orchestrator.TrialRecord, at string) []StepResult {
	facts := map[string]*orchestrator.StepFacts{}
	for i := range t.Steps {
		facts[t.Steps[i].Name] = &t.Steps[i].StepFacts
	}
	var out []StepResult
	for i := range t.Case.Steps {
		s := &t.Case.Steps[i]
		if s.Status == orchestrator.Skipped {
			continue
		}
		r := StepResult{StepName: s.Name, VerifierResult: rewards(s.Status, s.Scores)}
		f := facts[s.Name]
		if f != nil {
			r.AgentExecution, r.Verifier = execTiming(f.Agent), execTiming(f.Verifier)
		}
		switch {
		case s.Error != nil:
			r.ExceptionInfo = exceptionOf(s.Error, at)
		case f != nil:
			r.ExceptionInfo = ended(j.run, f.Agent, at)
		}
		out = append(out, r)
	}
	return out
}

// uuid is the same for the same names, and another for others: a version 8 one (RFC 9562) of their SHA-256.
func uuid(names ...string) string {
	b := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
