package verifier

import "fmt"

// Warning is something that did not change the verdict but should be looked at.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The codes of warnings.
const (
	WarnRewardTXT            = "reward_txt"             // the score comes from reward.txt
	WarnRewardTXTIgnored     = "reward_txt_ignored"     // a reward.txt lies beside a reward.json that is at fault
	WarnRewardsDisagree      = "rewards_disagree"       // reward.txt says something else than reward.json
	WarnBOM                  = "bom"                    // a byte order mark was left out
	WarnContractIgnored      = "contract_ignored"       // a contract is declared that is not applied
	WarnDetailsUnreadable    = "details_unreadable"     // reasoning is lost
	WarnDetailsEntry         = "details_entry"          // one entry of the details is left out
	WarnDetailsCriterion     = "details_criterion"      // one criterion, or a part of it, is left out
	WarnCriterionBoolean     = "criterion_boolean"      // a truth value was taken as 1 or 0
	WarnCriterionRange       = "criterion_range"        // a criterion's value is not from 0 to 1
	WarnCriterionNotFinite   = "criterion_not_finite"   // a criterion's value is left out
	WarnScoreWithoutCriteria = "score_without_criteria" // a score whose criteria are all not applicable
	WarnDetailsOnlyDimension = "details_only_dimension" // criteria without a score
	WarnVerifierExit         = "verifier_exit"          // the test script failed, yet left valid rewards
	WarnVerifierSignal       = "verifier_signal"        // the test script was killed, yet left valid rewards
	WarnStepWithoutDimension = "step_without_dimension" // a step left out a dimension that others have
	WarnVerifierOOM          = "verifier_oom"           // the memory limit killed processes of the tests
)

// warnings collects, and keeps a large details file from filling the record: of one code at most perCode are kept.
type warnings struct {
	list  []Warning
	count map[string]int
}

const perCode = 10

func (w *warnings) add(code, format string, args ...any) {
	if w.count == nil {
		w.count = map[string]int{}
	}
	w.count[code]++
	if w.count[code] <= perCode {
		w.list = append(w.list, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// all gives the warnings in the order in which they came, and how many more there were of each code.
func (w *warnings) all() []Warning {
	out := w.list
	for _, kept := range w.list {
		if more := w.count[kept.Code] - perCode; more > 0 {
			out = append(out, Warning{Code: kept.Code, Message: fmt.Sprintf("%d more of this kind", more)})
			w.count[kept.Code] = perCode
		}
	}
	return out
}
