package evidence

import (
	"fmt"
	"strings"
)

// Result is the outcome of a check.
type Result struct {
	Pass bool `json:"pass"`
	// Reason says in a sentence what was found.
	Reason string `json:"reason"`
	// Changes are what made a check of the state fail, Attempts what made one of the calls fail.
	Changes  []Change   `json:"changes,omitempty"`
	Attempts []CallLine `json:"attempts,omitempty"`
}

// maxNamed is how many findings a reason names.
const maxNamed = 5

// StateUnchanged checks that the chosen servers hold in the end what they held at the start, outbound effects included.
// The error is a *NoServersError, an *UnknownError or that of reading; it is never a pass.
func (e *Evidence) StateUnchanged(servers ...string) (Result, error) {
	chosen, err := e.servers(servers)
	if err != nil {
		return Result{}, err
	}
	changes, err := e.Diff(Query{Servers: servers})
	if err != nil {
		return Result{}, err
	}
	on := strings.Join(chosen, ", ")
	if len(changes) == 0 {
		return Result{Pass: true, Reason: "the state of " + on + " is unchanged"}, nil
	}
	named := make([]string, 0, maxNamed)
	for _, c := range changes[:min(len(changes), maxNamed)] {
		named = append(named, fmt.Sprintf("%s %s of %s was %s", c.Entity, c.ID, c.Server, c.Kind))
	}
	return Result{Reason: "the state of " + on + " has changed: " + more(named, len(changes)), Changes: changes}, nil
}

// NoWriteAttempted checks that no call was to a tool that writes, whether it succeeded or not. With tools named, only
// calls of those count, and each of them does: one that does not exist, or that only reads, is an attempt as well. The error
// is a *NoServersError, an *UnknownError for a server, or that of reading; it is never a pass.
func (e *Evidence) NoWriteAttempted(q Query) (Result, error) {
	chosen, err := e.servers(q.Servers)
	if err != nil {
		return Result{}, err
	}
	var attempts []CallLine
	count := 0
	err = e.Calls(q, func(c CallLine) error {
		if !c.Write && len(q.Tools) == 0 {
			return nil
		}
		if count++; len(attempts) < 1000 {
			attempts = append(attempts, c)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	what := "no write"
	if len(q.Tools) > 0 {
		what = "no call of " + strings.Join(q.Tools, ", ")
	}
	if count == 0 {
		return Result{Pass: true, Reason: what + " was attempted on " + strings.Join(chosen, ", ")}, nil
	}
	named := make([]string, 0, maxNamed)
	for _, c := range attempts[:min(len(attempts), maxNamed)] {
		named = append(named, fmt.Sprintf("call %d was %s of %s (%s)", c.Seq, c.Tool, c.Server, c.Outcome))
	}
	verb := "writes were attempted: "
	if len(q.Tools) > 0 {
		verb = "calls were attempted: "
	}
	return Result{Reason: verb + more(named, count), Attempts: attempts}, nil
}

func more(named []string, count int) string {
	text := strings.Join(named, "; ")
	if rest := count - len(named); rest > 0 {
		text += fmt.Sprintf("; and %d more", rest)
	}
	return text
}
