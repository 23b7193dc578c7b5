package report

import (
	"fmt"
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
)

// Prepared tells, before a trial is run again, what is worth knowing and what is not as it was.
func Prepared(p *orchestrator.TrialPlace, notes []string, differences []lockfile.Difference) []string {
	was := orchestrator.OutcomeOf(&p.Record.Case)
	lines := []string{Clean(fmt.Sprintf("trial %s of case %s came to: %s", p.Name, p.Record.Case.ID, was))}
	for _, n := range notes {
		lines = append(lines, Clean("note: "+n))
	}
	for _, d := range differences {
		lines = append(lines, Clean("differs: "+d.String()))
	}
	if len(differences) == 0 {
		lines = append(lines, "all that is recorded of what decided it is held the same")
	}
	return lines
}

// Reproduced tells what a run that reproduces a trial came to, beside what was recorded, and what follows from that.
func Reproduced(r *orchestrator.RunRecord) []string {
	if r.Reproduces == nil || len(r.Cases) == 0 {
		return nil
	}
	was := r.Reproduces.Was
	trials := r.Cases[0].Trials
	if len(trials) == 0 {
		trials = r.Cases[:1]
	}
	count, same := map[string]int{}, 0
	for i := range trials {
		o := orchestrator.OutcomeOf(&trials[i])
		count[o.String()]++
		if o.Same(was) {
			same++
		}
	}
	lines := []string{Clean(fmt.Sprintf("as recorded (%s): %d of %d", was, same, len(trials)))}
	var others []string
	for o, n := range count {
		if o != was.String() {
			others = append(others, fmt.Sprintf("otherwise: %d of %d came to %s", n, len(trials), o))
		}
	}
	slices.Sort(others)
	for _, o := range others {
		lines = append(lines, Clean(o))
	}
	if s := follows(r, same, len(trials), len(count)); s != "" {
		lines = append(lines, s)
	}
	return lines
}

// follows is what can be said for sure of where an outcome comes from; empty when that is nothing.
func follows(r *orchestrator.RunRecord, same, all, kinds int) string {
	agent := orchestrator.AgentKind(r.Candidate.Agent)
	fixed := agent == orchestrator.AgentOracle || agent == orchestrator.AgentNop || agent == orchestrator.AgentReplay
	infra := slices.Contains(orchestrator.RetryCodes(), r.Reproduces.Was.Code)
	held := len(r.Reproduces.Differences) == 0
	switch {
	case !held:
		return "not everything was held the same, so that the outcome alone tells neither agent, task nor machine apart"
	case infra && same == 0:
		return "machine: the fault did not come again with all else the same"
	case infra && same == all:
		return "the fault comes again: it is not one of the moment"
	case kinds > 1 && fixed:
		return "task: the work is the same each time, and the verdict is not; its tests or its environment are not deterministic"
	case kinds > 1:
		return "agent or task: the outcome varies; regrade a captured trial to see whether the tests alone do (run --capture, seatrial regrade)"
	case same == all && fixed && all > 1:
		return "task: the work is the same each time, and so is the verdict; what it says is the task's own doing"
	case same == all && all > 1:
		return "it is no accident: agent and task come to this each time"
	}
	return ""
}
