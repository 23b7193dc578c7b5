package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/seatrial/seatrial/verifier"
)

// judge turns what the tests wrote into the case's verdict. A half-written reward of tests that ran into their limit is no evidence.
func (t *trial) judge(context.Context) error {
	opt := verifier.Options{Contract: t.plan.Contract, Harbor: t.plan.Harbor, Case: t.plan.CaseID, Mask: t.mask.String}
	v := verifier.Conclude(t.step.rewards.files, t.testRun(), opt)
	r := t.step.result
	t.step.facts.RewardFile = v.Source
	r.take(&v)
	if !t.plan.MultiStep() {
		t.rec.Case.ContractVersion, t.rec.Case.Scores = r.ContractVersion, r.Scores
	}
	for _, w := range v.Warnings {
		t.warn(w.Code, w.Message)
	}
	if t.voided() {
		r.Scores, t.rec.Case.Scores = []verifier.Score{}, []verifier.Score{}
		return nil
	}
	if v.Fault != nil {
		t.setFault(t.rewardFault(v.Fault))
		return nil
	}
	if err := t.model(); err != nil {
		return err
	}
	r.Status = Complete
	t.step.verdict = &v
	t.verdicts = append(t.verdicts, verifier.StepVerdict{Name: t.stepName(), Verdict: v})
	return nil
}

// take writes a verdict into the result of a step; the fault of one is written elsewhere.
func (r *StepResult) take(v *verifier.Verdict) {
	r.ContractVersion, r.Score, r.ScoreDerived = v.ContractVersion, v.Score, v.Derived
	if v.Scores != nil {
		r.Scores = v.Scores
	}
}

// recorded is a verdict's fault as a record holds it.
func recorded(f *verifier.Fault) *Fault {
	out := &Fault{Code: f.Code, Phase: f.Phase, Message: f.Message, Key: f.Key, Rule: f.Rule, Files: f.Found}
	if f.Key != "" || f.Value != "" {
		out.Value = f.Value
	}
	return out
}

// rewardFault carries a verdict's fault into the case. When the agent had been cut off and nothing valid followed, that is the reason.
func (t *trial) rewardFault(f *verifier.Fault) *Fault {
	out := recorded(f)
	if f.Test != nil {
		out.Exit, out.Seconds = f.Test.ExitCode, &f.Test.Seconds
		if f.Test.Output != "" {
			out.Lines = strings.Split(f.Test.Output, "\n")
		}
	}
	if l := t.limit(PhaseVerifier); f.Code == verifier.CodeVerifierTimeout {
		seconds := l.Value.Seconds()
		out.Limit, out.Source = &seconds, l.Source
	}
	if a := t.step.facts.Agent; a != nil && a.Limit != "" && f.Code == verifier.CodeRewardMissing {
		out.Code, out.Phase = CodeAgentTimeout, string(PhaseAgent)
		out.Message = fmt.Sprintf("the agent was ended after %.1f s by its limit (%s), and the tests then left no reward: %s", a.Seconds, a.LimitSource, f.Message)
	}
	return out
}

// artifactPath is a path below the trial's folder, relative to run.json, if the file is there.
func (t *trial) artifactPath(parts ...string) string {
	if t.dir == nil {
		return ""
	}
	st, err := t.dir.Root().Lstat(path.Join(parts...))
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path.Join(append([]string{"trials", t.plan.Folder}, parts...)...)
}

// trajectory reads the agent's trajectory, if it left one.
func (t *trial) trajectory() {
	if t.step.counted {
		return
	}
	t.step.counted = true
	f, err := t.dir.Root().OpenFile(t.step.host("agent", "trajectory.json"), os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	u, err := ReadTrajectory(f)
	if err != nil {
		t.warn("trajectory_unreadable", err.Error())
		return
	}
	t.step.model = u.Model
	t.rec.Case.Result.add(u)
}

// add counts a trajectory in. The model is the last one's.
func (r *Result) add(u Usage) {
	if u.Model != nil {
		r.ObservedModel = u.Model
	}
	r.Cost = sum(r.Cost, u.CostUSD)
	if u.PromptTokens != nil || u.OutputTokens != nil || u.CachedTokens != nil {
		if r.Tokens == nil {
			r.Tokens = &Tokens{}
		}
		r.Tokens.Input, r.Tokens.Cached, r.Tokens.Output = sum(r.Tokens.Input, u.PromptTokens), sum(r.Tokens.Cached, u.CachedTokens), sum(r.Tokens.Output, u.OutputTokens)
	}
}

// sum adds what is known; nil is unknown.
func sum[N int64 | float64](a, b *N) *N {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	n := *a + *b
	return &n
}
