package why

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// nothingToExplain is the verdict of a trial that has all that can be had, or none to be had.
func nothingToExplain(e *Evidence) *Finding {
	c := &e.Trial.Case
	switch {
	case e.full():
		return &Finding{Side: None, Code: FullScore, Sentence: fmt.Sprintf("the trial has its full score, %s", number(*c.Score)), Proof: []string{proof("case.score", *c.Score)}}
	case c.Status == orchestrator.Complete && c.Score == nil:
		return &Finding{Side: None, Code: NoScore, Sentence: "the trial is complete without a score: the tests found nothing to apply", Proof: []string{proof("case.status", c.Status), proof("case.score", literal("null"))}}
	}
	return nil
}

// unexplained is the verdict where there is no evidence. What the tests printed last is where to look on.
func unexplained(e *Evidence) Finding {
	c := &e.Trial.Case
	f := Finding{Side: Unknown, Code: Unexplained, Cause: true, Sentence: "nothing in the record explains it", Proof: []string{proof("case.status", c.Status)},
		Next: "run it again with `seatrial repro RUN/TRIAL --keep failed`, and look inside what is kept"}
	if c.Score != nil {
		f.Proof = append(f.Proof, proof("case.score", *c.Score))
		if *c.Score > 0 { // which is not called failed there
			f.Next = strings.Replace(f.Next, "--keep failed", "--keep always", 1)
		}
	}
	if c.Error != nil {
		f.Proof = append(f.Proof, e.faultProof()...)
		f.Proof = append(f.Proof, proof("case.error.message", c.Error.Message))
	}
	for _, cmd := range e.commands() {
		if cmd.Exit != nil {
			f.Proof = append(f.Proof, cmd.at("exit", *cmd.Exit))
		}
		if cmd.who == theTests {
			f = e.withLast(f, cmd)
		}
	}
	return f
}

// reference: the task's own solution did not satisfy the task's own tests, or they are satisfied with nothing done.
func reference(e *Evidence) []Finding {
	c := &e.Trial.Case
	if c.Status != orchestrator.Complete || c.Score == nil {
		return nil
	}
	kind := e.kind()
	switch {
	case kind == string(orchestrator.AgentOracle) && !e.full():
		return []Finding{{Side: Task, Code: ReferenceFailed, Cause: true, Sentence: fmt.Sprintf("the task's own solution came to %s only: solution and tests do not go together", number(*c.Score)),
			Proof: []string{e.kindProof(), proof("case.score", *c.Score)}}}
	case kind == string(orchestrator.AgentNop) && e.full():
		return []Finding{{Side: Task, Code: NothingDone, Sentence: "nothing was done, and the tests are satisfied all the same", Proof: []string{e.kindProof(), proof("case.score", *c.Score)}}}
	case kind == string(orchestrator.AgentNop):
		return []Finding{{Side: Unknown, Code: NothingDone, Sentence: "no agent ran: nothing was done, as was asked for", Proof: []string{e.kindProof()}}}
	}
	return nil
}

// flaky: other trials of the case, by the same agent, came out otherwise. Where nothing is left to chance but the task, that is the task's.
func flaky(e *Evidence) []Finding {
	c := &e.Trial.Case
	mine := orchestrator.OutcomeOf(c)
	var others []string
	count := 0
	if e.Run != nil {
		for i := range e.Run.Cases {
			if e.Run.Cases[i].ID != c.ID {
				continue
			}
			for j := range e.Run.Cases[i].Trials {
				t := &e.Run.Cases[i].Trials[j]
				if t.Trial == c.Trial {
					continue
				}
				count++
				if o := orchestrator.OutcomeOf(t); !o.Same(mine) {
					others = append(others, proof(fmt.Sprintf("run.json: trial %d of the case", t.Trial), o.String()))
				}
			}
		}
		if r := e.Run.Reproduces; r != nil && r.Case == c.ID && !r.Was.Same(mine) {
			count++
			others = append(others, proof("run.json: reproduces.was", r.Was.String()))
		}
	}
	if len(others) == 0 {
		return nil
	}
	f := Finding{Side: Unknown, Code: Flaky, Proof: append([]string{proof("this trial", mine.String())}, some(others)...)}
	f.Sentence = fmt.Sprintf("the verdict is not stable: %d of %s of the case came out otherwise", len(others), plural(count, "other trial"))
	if k := e.kind(); k == string(orchestrator.AgentOracle) || k == string(orchestrator.AgentNop) {
		f.Side, f.Cause = Task, true
		f.Sentence += ", and the agent is the same each time"
		f.Proof = append(f.Proof, e.kindProof())
	}
	return []Finding{f}
}

// judged: the tests say what they found wanting in the work. Nobody is said to be wrong where that is the task's own solution.
func judged(e *Evidence) []Finding {
	c := &e.Trial.Case
	if c.Status != orchestrator.Complete || e.full() || e.agent() == Task || e.kind() == string(orchestrator.AgentNop) {
		return nil
	}
	lacking := wanting("case.scores", c.Scores)
	for i := range c.Steps {
		lacking = append(lacking, wanting(fmt.Sprintf("case.steps[%d].scores", i), c.Steps[i].Scores)...)
	}
	if len(lacking) == 0 {
		return nil
	}
	return []Finding{{Side: Agent, Code: Judged, Cause: true, Sentence: "the tests ran, and say what they found wanting in the agent's work: " + plural(len(lacking), "reason"), Proof: some(lacking)}}
}

// wanting are the criteria that have less than can be had, and those dimensions without criteria, the reward itself aside.
func wanting(at string, scores []verifier.Score) []string {
	below := func(v *float64) bool { return v != nil && *v < 1 }
	var out []string
	for i, s := range scores {
		for j, k := range s.Criteria {
			if below(k.Value) && k.Error == "" {
				p := fmt.Sprintf("%s[%d].criteria[%d], %s: value = %s", at, i, j, clip(k.Name), number(*k.Value))
				if k.Reasoning != "" {
					p += ": " + clip(k.Reasoning)
				}
				out = append(out, p)
			}
		}
		noReasons := !slices.ContainsFunc(s.Criteria, func(k verifier.Criterion) bool { return below(k.Value) })
		if noReasons && below(s.Value) && s.Name != "reward" {
			out = append(out, fmt.Sprintf("%s[%d], %s: value = %s", at, i, clip(s.Name), number(*s.Value)))
		}
	}
	return out
}
