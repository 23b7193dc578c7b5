package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
)

// Tried adds to what was found of tasks what the trials say that tried out their tests.
func Tried(all []Task, rec *orchestrator.LiveRecord) {
	if rec == nil {
		return
	}
	found := Live(rec)
	for i := range all {
		for _, f := range found {
			if f.Task == task.Printable(all[i].Dir) {
				all[i].Findings = append(all[i].Findings, f)
			}
		}
	}
}

// Live judges the tests by the trials that tried them out.
func Live(rec *orchestrator.LiveRecord) []Finding {
	var all []Finding
	var tasks []string
	groups := map[string]map[string][]*orchestrator.LiveTrial{} // by task, by agent
	for _, t := range rec.Trials {
		if groups[t.Dir] == nil {
			tasks, groups[t.Dir] = append(tasks, t.Dir), map[string][]*orchestrator.LiveTrial{}
		}
		groups[t.Dir][t.Agent] = append(groups[t.Dir][t.Agent], t)
	}
	for _, dir := range tasks {
		var agents []string
		for _, t := range rec.Trials {
			if t.Dir == dir && !slices.Contains(agents, t.Agent) {
				agents = append(agents, t.Agent)
			}
		}
		for _, agent := range agents {
			all = append(all, judged(groups[dir][agent])...)
		}
		if first := groups[dir][agents[0]][0]; !orchestrator.HasSolution(first.Task) {
			all = append(all, liveFinding("reference_missing", first, filepath.Join(dir, "solution"), "the task has no solution, so nobody knows whether a right one passes"))
		}
	}
	return all
}

// judged looks at the rounds of one agent.
func judged(rounds []*orchestrator.LiveTrial) []Finding {
	first := rounds[0]
	pass, reference := first.Task.Config.Eval.Bars()
	var passed, failed int
	for _, r := range rounds {
		switch {
		case r.Case.Status != orchestrator.Complete:
			what := "there is no verdict"
			if e := r.Case.Error; e != nil {
				what = fmt.Sprintf("%s in phase %s: %s", e.Code, e.Phase, e.Message)
			}
			code := "live_incomplete"
			if r.Disturbed() {
				code = "live_disturbed"
			}
			return []Finding{liveFinding(code, r, testsOf(r), fmt.Sprintf("with %s, in round %d: %s (%s)", whose(r), r.Round, what, r.Folder))}
		case r.Case.Score != nil && *r.Case.Score >= pass:
			passed++
		default:
			failed++
		}
	}
	if passed > 0 && failed > 0 {
		return []Finding{liveFinding("flaky_verdict", first, testsOf(first), fmt.Sprintf("with %s the tests passed in %d of %d rounds", whose(first), passed, len(rounds)))}
	}
	var all []Finding
	if f := verdict(rounds, passed > 0, reference); f != nil {
		all = append(all, *f)
	}
	if differ := differing(rounds); differ != "" {
		all = append(all, liveFinding("flaky_rewards", first, testsOf(first), fmt.Sprintf("with %s the rewards are not the same in %d rounds: %s", whose(first), len(rounds), differ)))
	}
	return all
}

// verdict compares what the tests said with what they have to say.
func verdict(rounds []*orchestrator.LiveTrial, passed bool, reference float64) *Finding {
	t := rounds[0]
	got := "no score"
	if t.Case.Score != nil {
		got = fmt.Sprintf("a score of %g", *t.Case.Score)
	}
	var f Finding
	switch {
	case t.Probe != nil && t.Probe.Expect.Passes() != passed:
		what := "pass"
		if !t.Probe.Expect.Passes() {
			what = "fail"
		}
		about := ""
		if t.Probe.Description != "" {
			about = " (" + strings.TrimSpace(t.Probe.Description) + ")"
		}
		f = liveFinding("probe_wrong", t, filepath.Join(t.Dir, filepath.FromSlash(t.Probe.Dir)), fmt.Sprintf("probe %s%s is to %s as a %s, and comes to %s%s", t.Probe.Name, about, what, t.Probe.Expect, got, reasons(t)))
	case t.Agent == string(orchestrator.AgentNop) && passed:
		f = liveFinding("start_passes", t, testsOf(t), fmt.Sprintf("nothing was done, and the tests come to %s", got))
	case t.Agent == string(orchestrator.AgentOracle):
		least := slices.MinFunc(rounds, func(a, b *orchestrator.LiveTrial) int { return compareScores(a.Case.Score, b.Case.Score) })
		if least.Case.Score != nil && *least.Case.Score >= reference {
			return nil
		}
		f = liveFinding("reference_fails", t, filepath.Join(t.Dir, filepath.FromSlash(solutionOf(t))), fmt.Sprintf("the solution comes to %s, and its bar is %g%s", got, reference, reasons(least)))
	default:
		return nil
	}
	return &f
}

func compareScores(a, b *float64) int {
	switch {
	case a == nil:
		return -1
	case b == nil:
		return 1
	case *a < *b:
		return -1
	case *a > *b:
		return 1
	}
	return 0
}

// whose says in words who stood in for the agent.
func whose(t *orchestrator.LiveTrial) string {
	switch {
	case t.Probe != nil:
		return "probe " + t.Probe.Name
	case t.Agent == string(orchestrator.AgentNop):
		return "nothing done"
	}
	return "the task's own solution"
}

// reasons are the first few of what took points.
func reasons(t *orchestrator.LiveTrial) string {
	const most = 3
	var out []string
	for _, s := range t.Case.Scores {
		if s.Value == nil || *s.Value >= 1 || s.Name == "reward" && len(t.Case.Scores) > 1 {
			continue
		}
		if out = append(out, fmt.Sprintf("%s %g%s", s.Name, *s.Value, firstReason(&s))); len(out) == most {
			break
		}
	}
	if len(out) == 0 {
		return " (" + t.Folder + ")"
	}
	return ": " + strings.Join(out, ", ") + " (" + t.Folder + ")"
}

// firstReason is the first reason that took points, in brackets, or nothing.
func firstReason(s *verifier.Score) string {
	for _, c := range s.Criteria {
		if c.Value != nil && *c.Value < 1 && c.Reasoning != "" {
			return " (" + c.Reasoning + ")"
		}
	}
	return ""
}

// differing lists the scores that were not the same in all rounds.
func differing(rounds []*orchestrator.LiveTrial) string {
	var names []string
	values := map[string][]string{}
	for _, r := range rounds {
		for _, s := range r.Case.Scores {
			v := "none"
			if s.Value != nil {
				v = fmt.Sprint(*s.Value)
			}
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
			if !slices.Contains(values[s.Name], v) {
				values[s.Name] = append(values[s.Name], v)
			}
		}
	}
	const most = 5
	var out []string
	for _, n := range names {
		if len(values[n]) > 1 && len(out) < most {
			out = append(out, n+" "+strings.Join(values[n], " or "))
		}
	}
	if len(out) > 0 {
		return strings.Join(out, ", ")
	}
	for _, r := range rounds {
		if r.Rewards != rounds[0].Rewards {
			return "the bytes of the reward file differ, and mean the same"
		}
	}
	return ""
}

// testsOf is the file that judges.
func testsOf(t *orchestrator.LiveTrial) string {
	p := t.Task.Parts[len(t.Task.Parts)-1]
	name := p.TestScript
	if name == "" {
		name = p.Scoring
	}
	return filepath.Join(t.Dir, filepath.FromSlash(name))
}

func solutionOf(t *orchestrator.LiveTrial) string {
	p := t.Task.Parts[len(t.Task.Parts)-1]
	if p.Solution == "" {
		return task.ConfigName
	}
	return p.Solution + "/solve.sh"
}

func liveFinding(code string, t *orchestrator.LiveTrial, file, message string) Finding {
	k := KindOf(code)
	return Finding{Code: code, Severity: k.Severity, Task: task.Printable(t.Dir), File: file, Message: message, Remedy: k.Remedy}
}
