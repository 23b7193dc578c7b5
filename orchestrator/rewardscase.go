package orchestrator

import "github.com/seatrial/seatrial/verifier"

// RewardsCase is what a case's record says of its rewards, in the form and order of run.json.
type RewardsCase struct {
	Status          string           `json:"status"`
	Score           *float64         `json:"score"`
	ScoreDerived    bool             `json:"score_derived"`
	ContractVersion *int             `json:"contract_version"`
	Scores          []verifier.Score `json:"scores"`
	Error           *Fault           `json:"error,omitempty"`
	Warnings        []Warning        `json:"warnings"`
	// Source is the reward file that was judged; empty when there is none.
	Source string `json:"-"`
}

// JudgeRewards tells what the rewards that any producer left in a folder would become in a record. Nothing is known of how the producer ended, so nothing is
// said of it.
func JudgeRewards(files verifier.Files, opt verifier.Options) *RewardsCase {
	v := verifier.Judge(files, opt)
	r := StepResult{Scores: []verifier.Score{}}
	r.take(&v)
	c := &RewardsCase{Status: Complete, Score: r.Score, ScoreDerived: r.ScoreDerived, ContractVersion: r.ContractVersion, Scores: r.Scores, Warnings: []Warning{}, Source: v.Source}
	for _, w := range v.Warnings {
		c.Warnings = append(c.Warnings, Warning{Code: w.Code, Message: w.Message})
	}
	if v.Fault != nil {
		c.Status, c.Error, c.Score, c.ScoreDerived, c.Scores = Incomplete, recorded(v.Fault), nil, false, []verifier.Score{}
	}
	return c
}
