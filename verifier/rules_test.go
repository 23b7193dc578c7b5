package verifier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/verifier"
)

func TestR1FlatObjectOfNumbersFromZeroToOneIsValid(t *testing.T) {
	for _, in := range []string{`{"reward": 0}`, `{"reward": 1}`, `{"reward": 0.5}`, `{"reward":1.0,"a":0,"b":1e-3}`, "\t{\"reward\": 5E-1}\r\n"} {
		t.Run(in, func(t *testing.T) {
			v := verifier.Judge(rewardJSON(in), verifier.Options{})
			if v.Fault != nil {
				t.Error(v.Fault.Message)
			}
			warned(t, v)
		})
	}
}

func TestR2OtherValuesAreRejected(t *testing.T) {
	for _, tc := range []struct{ name, in, rule string }{
		{"true", `{"reward": true}`, verifier.RuleNumber},
		{"a string", `{"reward": "1"}`, verifier.RuleNumber},
		{"a number over 1", `{"reward": 2}`, verifier.RuleRange},
		{"a number under 0", `{"reward": -0.5}`, verifier.RuleRange},
		{"one bad value among good ones", `{"reward": 1, "a": 0.5, "b": 1.5}`, verifier.RuleRange},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faulted(t, verifier.Judge(rewardJSON(tc.in), verifier.Options{}), verifier.CodeRewardInvalid, tc.rule)
		})
	}
}

func TestR3MessageNamesCaseKeyValueAndRule(t *testing.T) {
	v := verifier.Judge(rewardJSON(`{"reward": 1, "subchecks_total": 64}`), verifier.Options{Case: "refund"})
	f := faulted(t, v, verifier.CodeRewardInvalid, verifier.RuleRange)
	if f.Key != "subchecks_total" || f.Value != "64" || f.File != "reward.json" || f.Phase != verifier.PhaseRewards {
		t.Errorf("key %q, value %q, file %q, phase %q", f.Key, f.Value, f.File, f.Phase)
	}
	mentions(t, f.Message, `"refund"`, `"subchecks_total"`, "64", `"range"`, "reward.json")
}

func TestR4RewardIsTheScore(t *testing.T) {
	v := verifier.Judge(rewardJSON(`{"a": 1, "reward": 0.25, "b": 1}`), verifier.Options{})
	complete(t, v, ptr(0.25))
	if v.Derived {
		t.Error("marked as derived")
	}
	if got := scoreNamed(t, v, "reward"); *got.Value != 0.25 {
		t.Errorf("reward is recorded as %v", *got.Value)
	}
}

func TestR5WithoutRewardTheScoreIsThePlainMean(t *testing.T) {
	v := verifier.Judge(rewardJSON(`{"correctness": 1, "performance": 0.5, "style": 0}`), verifier.Options{})
	complete(t, v, ptr(0.5))
	if !v.Derived {
		t.Error("not marked as derived")
	}
	v = verifier.Judge(rewardJSON(`{"only": 0.1}`), verifier.Options{})
	complete(t, v, ptr(0.1))
	if !v.Derived {
		t.Error("one key: not marked as derived")
	}
}

const allOff = `{"a": {"criteria": [{"name": "x", "optional": true, "error": "no judge"}]}, "b": {"criteria": [{"name": "y", "optional": true, "error": "no judge"}]}}`

func TestR6EmptyWithAllDimensionsNotApplicableIsCompleteWithoutScore(t *testing.T) {
	v := verifier.Judge(withDetails(`{}`, allOff), verifier.Options{})
	complete(t, v, nil)
	if v.Derived {
		t.Error("marked as derived")
	}
	if len(v.Scores) != 2 || scoreNamed(t, v, "a").Status != verifier.StatusNotApplicable {
		t.Errorf("scores are %v", v.Scores)
	}
}

func TestR7EmptyOtherwiseIsRejected(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   verifier.Files
	}{
		{"without details", rewardJSON(`{}`)},
		{"with unreadable details", withDetails(`{}`, `{"a"`)},
		{"with details over their limit", verifier.Files{RewardJSON: file(`{}`), Details: &verifier.File{Data: []byte(allOff), Size: 9 << 20}}},
		{"with one applicable dimension", withDetails(`{}`, `{"a": {"criteria": [{"name": "x", "optional": true, "error": "e"}]}, "b": {"criteria": [{"name": "y", "value": 1}]}}`)},
		{"with one dimension that cannot be read", withDetails(`{}`, `{"a": {"criteria": [{"name": "x", "optional": true, "error": "e"}]}, "b": 7}`)},
		{"with one criterion that cannot be read", withDetails(`{}`, `{"a": {"criteria": [{"name": "x", "optional": true, "error": "e"}, 7]}}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faulted(t, verifier.Judge(tc.in, verifier.Options{}), verifier.CodeRewardInvalid, verifier.RuleEmpty)
		})
	}
}

func TestR8MissingOrUnreadableDetailsLoseOnlyReasoning(t *testing.T) {
	complete(t, verifier.Judge(rewardJSON(`{"reward": 1}`), verifier.Options{}), ptr(1.0))
	for _, tc := range []struct {
		name    string
		details *verifier.File
	}{
		{"not JSON", file("Traceback (most recent call last):")},
		{"empty", file("")},
		{"a list", file("[]")},
		{"a link", &verifier.File{Problem: "link"}},
		{"too large", &verifier.File{Size: 9 << 20}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(verifier.Files{RewardJSON: file(`{"reward": 1}`), Details: tc.details}, verifier.Options{})
			complete(t, v, ptr(1.0))
			warned(t, v, verifier.WarnDetailsUnreadable)
		})
	}
}

func TestR9OptionalCriterionWithErrorHasNoScore(t *testing.T) {
	v := verifier.Judge(withDetails(`{"reward": 1}`, `{"reward": {"criteria": [
		{"name": "judge", "value": 0.0, "optional": true, "error": "timed out", "reasoning": "none"},
		{"name": "build", "value": 1}]}}`), verifier.Options{})
	complete(t, v, ptr(1.0))
	want := []verifier.Criterion{
		{Name: "judge", Status: verifier.StatusNotApplicable, Optional: ptr(true), Error: "timed out", Reasoning: "none"},
		{Name: "build", Value: ptr(1.0), Status: verifier.StatusScored},
	}
	if diff := cmp.Diff(want, scoreNamed(t, v, "reward").Criteria); diff != "" {
		t.Error(diff)
	}
}

func TestR10AbsentDimensionWithoutApplicableCriteriaIsRecorded(t *testing.T) {
	v := verifier.Judge(withDetails(`{"a": 0.5}`, `{"b": {"criteria": [{"name": "x", "value": 0, "optional": true, "error": "e"}]}}`), verifier.Options{})
	complete(t, v, ptr(0.5))
	want := verifier.Score{
		Name: "b", Status: verifier.StatusNotApplicable,
		Criteria: []verifier.Criterion{{Name: "x", Status: verifier.StatusNotApplicable, Optional: ptr(true), Error: "e"}},
	}
	if diff := cmp.Diff(want, scoreNamed(t, v, "b")); diff != "" {
		t.Error(diff)
	}
}

func TestR11NoScoreIsIncomplete(t *testing.T) {
	t.Run("no file at all", func(t *testing.T) {
		f := faulted(t, verifier.Judge(verifier.Files{Listing: []string{"ctrf.json"}}, verifier.Options{}), verifier.CodeRewardMissing, "")
		mentions(t, f.Message, "ctrf.json")
	})
	t.Run("a declared contract and no score", func(t *testing.T) {
		faulted(t, verifier.Judge(verifier.Files{Contract: file(`{"rewards": 1}`)}, verifier.Options{}), verifier.CodeNoScores, "")
	})
}

func TestR12NoDeclaredContractIsVersion1(t *testing.T) {
	v := verifier.Judge(rewardJSON(`{"reward": 1}`), verifier.Options{})
	if diff := cmp.Diff(ptr(1), v.ContractVersion); diff != "" {
		t.Error(diff)
	}
}

func TestR13UnknownContractIsUnsupported(t *testing.T) {
	v := verifier.Judge(verifier.Files{RewardJSON: file(`{"reward": "broken"}`), Contract: file(`{"rewards": 2}`)}, verifier.Options{})
	f := faulted(t, v, verifier.CodeContractUnsupported, "")
	mentions(t, f.Message, "version 2", "contract.json", "version 1", "upgrade")
	if v.ContractVersion != nil {
		t.Errorf("version %d is recorded", *v.ContractVersion)
	}
}

func TestContractDeclarations(t *testing.T) {
	for _, tc := range []struct {
		name     string
		contract *verifier.File
		task     *int
		ok       bool
		words    []string // of the message
	}{
		{"in task.toml alone", nil, ptr(1), true, nil},
		{"in both, alike", file(`{"rewards": 1}`), ptr(1), true, nil},
		{"in both, with a byte order mark", file("\uFEFF{\"rewards\": 1}"), ptr(1), true, nil},
		{"in both, different", file(`{"rewards": 1}`), ptr(2), false, []string{"contract.json", "task.toml", "version 1", "2"}},
		{"unknown in task.toml", nil, ptr(2), false, []string{"version 2", "task.toml", "rewards_contract", "upgrade"}},
		{"zero", nil, ptr(0), false, []string{"version 0"}},
		{"a fraction", file(`{"rewards": 1.5}`), nil, false, []string{"1.5"}},
		{"a truth value", file(`{"rewards": true}`), nil, false, []string{"true"}},
		{"a text", file(`{"rewards": "1"}`), nil, false, []string{`"1"`}},
		{"negative", file(`{"rewards": -1}`), nil, false, []string{"-1"}},
		{"huge", file(`{"rewards": 99999999999999999999}`), nil, false, []string{"99999999999999999999"}},
		{"twice", file(`{"rewards": 1, "rewards": 1}`), nil, false, []string{"more than once"}},
		{"not JSON", file(`{"rewards"`), nil, false, []string{"not JSON"}},
		{"not UTF-8", file("\xff\xfe1"), nil, false, []string{"not UTF-8"}},
		{"a list", file(`[1]`), nil, false, []string{"not an object"}},
		{"a link", &verifier.File{Problem: "link"}, nil, false, []string{"link"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(verifier.Files{RewardJSON: file(`{"reward": 1}`), Contract: tc.contract}, verifier.Options{Contract: tc.task})
			if tc.ok {
				complete(t, v, ptr(1.0))
				return
			}
			mentions(t, faulted(t, v, verifier.CodeContractUnsupported, "").Message, tc.words...)
		})
	}
}

func TestContractFileOfSomebodyElseIsLeftAlone(t *testing.T) {
	v := verifier.Judge(verifier.Files{RewardJSON: file(`{"reward": 1}`), Contract: file(`{"openapi": "3.1"}`)}, verifier.Options{})
	complete(t, v, ptr(1.0))
	warned(t, v, verifier.WarnContractIgnored)
}
