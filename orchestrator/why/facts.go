package why

import (
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// fact is a finding that is no reason.
func fact(side Side, code, sentence string, proof ...string) []Finding {
	if strings.TrimSpace(sentence) == "" {
		sentence = "the record names it, and says no more"
	}
	return []Finding{{Side: side, Code: code, Sentence: sentence, Proof: proof}}
}

// warned gives the place of a warning.
func (e *Evidence) warned(code string) (message, at string) {
	for i, w := range e.Trial.Case.Warnings {
		if w.Code == code {
			return w.Message, proof(fmt.Sprintf("case.warnings[%d].code", i), w.Code)
		}
	}
	return "", ""
}

// planted: there was something where rewards are written before the tests ran.
func planted(e *Evidence) []Finding {
	message, at := e.warned("reward_planted")
	if at == "" {
		return nil
	}
	return fact(Agent, RewardPlanted, clip(message), at)
}

// unenforced: the engine does not hold the containers to the limits that the task sets.
func unenforced(e *Evidence) []Finding {
	message, at := e.warned("limits_not_enforced")
	if at == "" {
		return nil
	}
	return fact(Machine, LimitsNotEnforced, clip(message), at)
}

// restarts: a container was started again, to end what ran on in it.
func restarts(e *Evidence) []Finding {
	var why []string
	for i, r := range e.Trial.Restarts {
		why = append(why, proof(fmt.Sprintf("restarts[%d]", i), r))
	}
	if len(why) == 0 {
		return nil
	}
	return fact(Unknown, Restarted, fmt.Sprintf("a container was started again %s before grading, with its files", plural(len(why), "time")), some(why)...)
}

// skippedSteps: an earlier step ended the task.
func skippedSteps(e *Evidence) []Finding {
	var skipped []string
	for i, s := range e.Trial.Case.Steps {
		if s.Status == orchestrator.Skipped {
			skipped = append(skipped, proof(fmt.Sprintf("case.steps[%d].status", i), s.Status))
		}
	}
	if len(skipped) == 0 {
		return nil
	}
	p := some(skipped)
	if _, at := e.warned("min_reward"); at != "" {
		p = append(p, at)
	}
	return fact(Unknown, StepsSkipped, plural(len(skipped), "step")+" never ran, since an earlier one ended the task", p...)
}

// violations: the fakes answered otherwise than they promise.
func violations(e *Evidence) []Finding {
	k := e.Trial.Fakes
	if k == nil || k.Violations <= 0 {
		return nil
	}
	p := []string{proof("fakes.violations", k.Violations)}
	for i, v := range k.FirstViolations {
		p = append(p, proof(fmt.Sprintf("fakes.first_violations[%d]", i), v))
	}
	return fact(Task, FakesViolated, fmt.Sprintf("the fakes broke their own contract %s", plural(k.Violations, "time")), some(p)...)
}

// tries: the machine kept the trial from a verdict before.
func tries(e *Evidence) []Finding {
	var p []string
	for i, t := range e.Trial.Case.Tries {
		p = append(p, proof(fmt.Sprintf("case.tries[%d].code", i), t.Code)+", "+clip(t.Message))
	}
	if len(p) == 0 {
		return nil
	}
	return fact(Machine, EarlierTries, plural(len(p), "earlier try")+" of the trial came to no verdict", some(p)...)
}

func leaks(e *Evidence) []Finding {
	var p []string
	for i, l := range e.Trial.Leaks {
		p = append(p, proof(fmt.Sprintf("leaks[%d]", i), l))
	}
	if len(p) == 0 {
		return nil
	}
	f := fact(Machine, Leaks, plural(len(p), "thing")+" could not be removed from the engine", some(p)...)
	f[0].Next = "`seatrial gc` tries again"
	return f
}

func clock(e *Evidence) []Finding {
	g := e.Trial.ClockGap
	if g == nil || *g == 0 {
		return nil
	}
	return fact(Machine, ClockGap, fmt.Sprintf("the wall clock moved by %s against the monotonic one: the machine slept, or its clock was set", seconds(*g)), proof("clock_gap_seconds", *g))
}

func retries(e *Evidence) []Finding {
	n := e.Trial.EngineRetries
	if n <= 0 {
		return nil
	}
	return fact(Machine, EngineRetries, fmt.Sprintf("%s to the engine had to be made again", plural(n, "request")), proof("engine_retries", n), proof("engine_calls", e.Trial.EngineCalls))
}

// besideProof is where the number of neighbours stands.
func (e *Evidence) besideProof() string {
	if e.Lock != nil && e.Lock.Batch.BesideCount > 0 {
		return proof("lock.json: batch.beside_count", e.BesideCount)
	}
	return proof("trials whose times overlap", e.BesideCount)
}

// beside: other trials of the run had a part of the machine.
func beside(e *Evidence) []Finding {
	if e.BesideCount <= 0 {
		return nil
	}
	p := []string{e.besideProof()}
	for _, n := range e.Beside {
		p = append(p, proof("trials/"+clip(n.Folder), n.Outcome.String()))
	}
	return fact(Machine, Beside, plural(e.BesideCount, "trial")+" of the run had a part of the machine at the same time", some(p)...)
}

// refusals: hosts were tried that the task does not allow.
func refusals(e *Evidence) []Finding {
	var out []Finding
	var files []string
	byFile := map[string][]Refusal{}
	for _, r := range e.Refusals {
		if byFile[r.File] == nil {
			files = append(files, r.File)
		}
		byFile[r.File] = append(byFile[r.File], r)
	}
	for _, file := range files {
		side, who := Unknown, "something in the trial"
		if isVerifiers(file) {
			side, who = Task, "the tests"
		}
		var p []string
		for _, r := range byFile[file] {
			p = append(p, fmt.Sprintf("%s:%d: %s, %s", clip(file), r.Line, clip(r.Host), plural(r.Count, "time")))
		}
		out = append(out, fact(side, EgressRefused, fmt.Sprintf("%s tried %s that the task does not allow", who, plural(len(p), "host")), some(p)...)...)
	}
	return out
}
