// Package why says what a recorded trial came out as it did for, from what its record holds: findings, each with its proof. Reading is in read.go; all else is pure.
package why

import (
	"cmp"
	"slices"
)

// Side is whose doing something is.
type Side string

// The sides. None is for a trial with nothing to explain.
const (
	Agent   Side = "agent"
	Task    Side = "task"
	Machine Side = "machine" // the engine, its disk or network, the host, or this tool
	Unknown Side = "unknown"
	None    Side = "none"
)

// Finding is one thing that the record says about how the trial came out.
type Finding struct {
	Side Side `json:"side"`
	// Code is stable; docs/why.md lists them all.
	Code string `json:"code"`
	// Cause says that the trial may have come out as it did because of it; else it is a fact that should be known beside that.
	Cause    bool   `json:"cause"`
	Sentence string `json:"sentence"`
	// Proof are places in the record with their values, and lines of log files.
	Proof []string `json:"proof"`
	// Next says what to do, where the record tells that.
	Next string `json:"next,omitempty"`
}

// Diagnose says what the evidence holds, the strongest first: causes before facts, and each of these in the order of the catalogue. There is always a first one,
// which is the verdict. A trial with its full score has facts alone.
func Diagnose(e *Evidence) []Finding {
	var all []Finding
	for _, rule := range rules() {
		all = append(all, rule(e)...)
	}
	all = append(all, ended(e, all)...)
	if head := nothingToExplain(e); head != nil {
		for i := range all {
			all[i].Cause = false
		}
		all = append(all, *head)
	} else if !slices.ContainsFunc(all, func(f Finding) bool { return f.Cause }) {
		all = append(all, unexplained(e))
	}
	for i := range all {
		if all[i].Proof == nil {
			all[i].Proof = []string{}
		}
	}
	order := map[string]int{}
	for i, k := range Kinds() {
		order[k.Code] = i
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(weight(a)-weight(b), order[a.Code]-order[b.Code])
	})
	return all
}

// weight puts the verdict of a trial with nothing to explain first, and facts last.
func weight(f Finding) int {
	switch {
	case f.Side == None:
		return 0
	case f.Cause:
		return 1
	}
	return 2
}

// rules are those that look at one thing each, in no order.
func rules() []func(*Evidence) []Finding {
	return []func(*Evidence) []Finding{
		images, space, died, together, unstarted, limits, memory, signals, processes, disk, submission, exits, idle, throttled, busy, reference, flaky, judged,
		planted, restarts, skippedSteps, refusals, violations, tries, leaks, clock, retries, unenforced, beside,
	}
}
