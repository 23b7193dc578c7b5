// Package check says what is wrong with tasks and suites before, and by, running them: findings with stable codes.
package check

import (
	"cmp"
	"slices"
)

// Severity says how bad a finding is.
type Severity string

// The severities, worst first.
const (
	// Error is a fault: the task cannot be run, or its verdict cannot be trusted.
	Error Severity = "error"
	// Warning is something that is probably not meant.
	Warning Severity = "warning"
	// Note is something that is good to know.
	Note Severity = "note"
)

// rank orders severities, worst first.
func (s Severity) rank() int {
	return slices.Index([]Severity{Error, Warning, Note}, s)
}

// AtLeast says whether s is as bad as other, or worse.
func (s Severity) AtLeast(other Severity) bool { return s.rank() <= other.rank() }

// Finding is one thing that is wrong with a task or a suite.
type Finding struct {
	// Code is stable; docs/checks.md lists them all.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Task is the task's folder as the caller gave it; empty for a finding about a suite.
	Task string `json:"task,omitempty"`
	// File is the file or folder at fault, below the path that the caller gave.
	File string `json:"file"`
	// Line and Column start at 1; 0 = the finding is not about one place in the file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Key is the path of the key in task.toml that is at fault, if any.
	Key string `json:"key,omitempty"`
	// Message says in a sentence what is wrong.
	Message string `json:"message"`
	// Remedy says in a sentence what to do.
	Remedy string `json:"remedy"`
}

// Sort orders findings by task, file, place and code.
func Sort(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
}

// Worst says whether one of the findings is as bad as limit, or worse.
func Worst(all []Finding, limit Severity) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Severity.AtLeast(limit) })
}
