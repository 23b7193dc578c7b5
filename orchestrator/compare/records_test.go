package compare_test

import (
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/compare"
	"github.com/seatrial/seatrial/verifier"
)

func ptr[T any](v T) *T { return &v }

// scored is a case with a score by the contract.
func scored(id string, v float64, dims ...verifier.Score) orchestrator.Case {
	return orchestrator.Case{ID: id, LegacyID: "org/" + id, Status: orchestrator.Complete, Score: &v, ContractVersion: ptr(1), Scores: dims}
}

func dim(name string, v float64) verifier.Score { return verifier.Score{Name: name, Value: &v} }

func absent(name string) verifier.Score { return verifier.Score{Name: name} }

func harbor(id string, v float64) orchestrator.Case {
	c := scored(id, v)
	c.ContractVersion = nil
	return c
}

func broken(id, code string) orchestrator.Case {
	return orchestrator.Case{ID: id, LegacyID: "org/" + id, Status: orchestrator.Incomplete, Error: &orchestrator.Fault{Code: code}}
}

func unscored(id string) orchestrator.Case {
	return orchestrator.Case{ID: id, LegacyID: "org/" + id, Status: orchestrator.Complete, ContractVersion: ptr(1)}
}

func tried(id string, scores ...float64) orchestrator.Case {
	var trials []orchestrator.Case
	for _, v := range scores {
		trials = append(trials, scored(id, v))
	}
	c := orchestrator.Group(trials, len(trials), false)
	c.ID = id
	return c
}

func named(id, legacy string, v float64) orchestrator.Case {
	c := scored(id, v)
	c.LegacyID = legacy
	return c
}

func run(id string, cases ...orchestrator.Case) *orchestrator.RunRecord {
	return &orchestrator.RunRecord{Format: orchestrator.RunFormat, SchemaVersion: 1, RunID: id, Status: orchestrator.RunFinished, StartedAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Candidate: orchestrator.Candidate{Agent: "oracle"}, Tool: orchestrator.Tool{Name: "seatrial", Version: "1.0.0"}, Spec: orchestrator.RunSpec{Trials: 1, Rewards: "task"},
		Cases: cases, Summary: orchestrator.Summarize(cases, len(cases))}
}

func compared(t *testing.T, was, now *orchestrator.RunRecord) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(was, now, compare.Options{MinDelta: compare.DefaultMinDelta})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
