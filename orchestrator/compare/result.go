// Package compare says what changed from one run to another. It is pure: records go in, a Comparison comes out, and the same records always give the same one.
package compare

import (
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/stats"
)

// The format of a comparison as JSON. The version grows when a reader of the older one would misread the newer.
const (
	Format        = "seatrial-comparison"
	SchemaVersion = 1
)

// Comparison is what changed from an old run to a new one.
type Comparison struct {
	Format        string  `json:"format"`
	SchemaVersion int     `json:"schema_version"`
	Old           Side    `json:"old"`
	New           Side    `json:"new"`
	MinDelta      float64 `json:"min_delta"`
	// Differences are those of the runs besides their results: what else than the thing under test may have changed them.
	Differences []Difference `json:"differences"`
	Counts      Counts       `json:"counts"`
	// Groups are the compared cases by the rules of their scores: those of the rewards contract, and those of Harbor's own form.
	Groups []Group `json:"groups"`
	// Passes is nil unless it was asked for, or a run has several trials of a case.
	Passes  *Passes `json:"passes,omitempty"`
	Cases   []Pair  `json:"cases"` // by id
	Added   []Lone  `json:"added"`
	Removed []Lone  `json:"removed"`
}

// Side is one of the two runs.
type Side struct {
	RunID        string    `json:"run_id"`
	Status       string    `json:"status"`
	StartedAt    time.Time `json:"started_at"`
	Tool         string    `json:"tool_version"`
	Agent        string    `json:"agent"`
	AgentVersion string    `json:"agent_version,omitempty"`
	Model        *string   `json:"model"`
	Trials       int       `json:"trials"`
	Cases        int       `json:"cases"`
	Scored       int       `json:"scored"`
	NoScore      int       `json:"no_score"`
	Incomplete   int       `json:"incomplete"`
	Missing      int       `json:"missing"`
	MeanScore    *float64  `json:"mean_score"`
}

// Counts are numbers of cases.
type Counts struct {
	Compared      int `json:"compared"`
	Regressions   int `json:"regressions"`
	Improvements  int `json:"improvements"`
	Unchanged     int `json:"unchanged"`
	NotComparable int `json:"not_comparable"`
	Added         int `json:"added"`
	Removed       int `json:"removed"`
}

// Rules that scores were made by. Those of one kind are never set against those of the other.
const (
	Contract = "contract" // from 0 to 1
	Harbor   = "harbor"   // numbers of any size
)

// Group is what the compared cases under the same rules come to.
type Group struct {
	Rules string  `json:"rules"`
	Cases int     `json:"cases"`
	Old   float64 `json:"old_mean"`
	New   float64 `json:"new_mean"`
	Delta float64 `json:"delta"` // the mean of the cases' deltas
	// Interval is Student's t interval for Delta over the cases; nil where there is too little to go by.
	Interval   *stats.Interval  `json:"interval"`
	Dimensions []DimensionGroup `json:"dimensions"`
}

// DimensionGroup is what one dimension comes to, over the cases in which it is scored on both sides.
type DimensionGroup struct {
	Name  string  `json:"name"`
	Cases int     `json:"cases"`
	Old   float64 `json:"old_mean"`
	New   float64 `json:"new_mean"`
	Delta float64 `json:"delta"`
}

// Passes are how many trials of the compared cases passed.
type Passes struct {
	Old orchestrator.PassMetrics `json:"old"`
	New orchestrator.PassMetrics `json:"new"`
}

// How cases were joined.
const (
	ByID       = "id"
	ByLegacyID = "legacy_id"
)

// Outcomes of a pair.
const (
	Regression    = "regression"
	Improvement   = "improvement"
	Unchanged     = "unchanged"
	NotComparable = "not_comparable"
)

// Reasons for which a pair cannot be compared.
const (
	OldIncomplete  = "old_incomplete"
	NewIncomplete  = "new_incomplete"
	BothIncomplete = "both_incomplete"
	OldNoScore     = "old_no_score"
	NewNoScore     = "new_no_score"
	BothNoScore    = "both_no_score"
	RulesDiffer    = "rules_differ"
)

// Pair is a case that both runs have.
type Pair struct {
	ID       string  `json:"id"` // the new run's
	OldID    string  `json:"old_id,omitempty"`
	JoinedBy string  `json:"joined_by"`
	Outcome  string  `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`
	Old      Outcome `json:"old"`
	New      Outcome `json:"new"`
	// Delta is nil unless both are complete with a score by the same rules.
	Delta       *float64     `json:"delta"`
	Dimensions  []Dimension  `json:"dimensions"`
	Differences []Difference `json:"differences"`
}

// Outcome is how a case came out on one side.
type Outcome struct {
	Status       string   `json:"status"`
	Score        *float64 `json:"score"`
	ScoreDerived bool     `json:"score_derived"`
	ErrorCode    string   `json:"error_code,omitempty"`
	Trials       int      `json:"trials"` // with a score
	Passed       *int     `json:"passed,omitempty"`
}

// States of a dimension of a pair.
const (
	DimensionCompared = "compared"
	NotApplicable     = "not_applicable" // on one side or on both
	OnlyOld           = "only_old"
	OnlyNew           = "only_new"
)

// Dimension is one dimension of a pair that can be compared.
type Dimension struct {
	Name   string   `json:"name"`
	Status string   `json:"status"`
	Old    *float64 `json:"old"`
	New    *float64 `json:"new"`
	Delta  *float64 `json:"delta"`
}

// Lone is a case that only one run has.
type Lone struct {
	ID       string   `json:"id"`
	LegacyID string   `json:"legacy_id,omitempty"`
	Status   string   `json:"status"`
	Score    *float64 `json:"score"`
}
