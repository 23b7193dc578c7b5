package check

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seatrial/seatrial/task"
)

// WriteJSON writes what was found as one JSON object: version, tasks, findings and counts. docs/checks.md describes it.
func WriteJSON(w io.Writer, all []Task, suite []Finding) error {
	type summary struct {
		Task  string `json:"task"`
		Valid bool   `json:"valid"`
		Counts
	}
	doc := struct {
		Version  int       `json:"version"`
		Tasks    []summary `json:"tasks"`
		Findings []Finding `json:"findings"`
		Counts   Counts    `json:"counts"`
	}{Version: 1, Tasks: []summary{}, Findings: Findings(all, suite)}
	for i := range all {
		doc.Tasks = append(doc.Tasks, summary{task.Printable(all[i].Dir), !all[i].Invalid, Count(all[i].Findings)})
	}
	doc.Counts = Count(doc.Findings)
	return write(w, doc)
}

// Findings are those about no task, and then those of all tasks, in the order of the tasks.
func Findings(all []Task, suite []Finding) []Finding {
	found := append([]Finding{}, suite...)
	for i := range all {
		found = append(found, all[i].Findings...)
	}
	return found
}

func write(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	return nil
}
