package verifier_test

import (
	"testing"

	"github.com/seatrial/seatrial/verifier"
)

func TestHarborRewardsAreTakenAsTheyAre(t *testing.T) {
	for _, tc := range []struct {
		name    string
		in      verifier.Files
		want    *float64
		derived bool
	}{
		{"any range", rewardJSON(`{"reward": -3, "calls": 64}`), ptr(-3.0), false},
		{"one key without reward is the score", rewardJSON(`{"profit": -12.5}`), ptr(-12.5), false},
		{"several without reward give the mean", rewardJSON(`{"a": 10, "b": 20}`), ptr(15.0), true},
		{"a mean of numbers whose sum is no float", rewardJSON(`{"a": 1e308, "b": 1e308}`), ptr(1e308), true},
		{"minus zero is 0", rewardJSON(`{"reward": -0.0}`), ptr(0.0), false},
		{"a text with an exponent", rewardTXT(" 1e3 \n"), ptr(1000.0), false},
		{"a text with an underscore", rewardTXT("1_0"), ptr(10.0), false},
		{"the crash sentinel", rewardTXT("-1"), ptr(-1.0), false},
		{"nothing applicable", withDetails(`{}`, allOff), nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(tc.in, verifier.Options{Harbor: true})
			complete(t, v, tc.want)
			if v.Derived != tc.derived {
				t.Errorf("derived is %v", v.Derived)
			}
			if v.ContractVersion != nil {
				t.Errorf("contract version is %d, want none", *v.ContractVersion)
			}
		})
	}
}

func TestHarborRewardsThatAreNoFlatFiniteNumbers(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   verifier.Files
		code string
		rule string
	}{
		{"NaN", rewardJSON(`{"reward": NaN}`), verifier.CodeRewardInvalid, verifier.RuleFinite},
		{"an overflow", rewardJSON(`{"reward": 1e999}`), verifier.CodeRewardInvalid, verifier.RuleFinite},
		{"a truth value", rewardJSON(`{"reward": true}`), verifier.CodeRewardInvalid, verifier.RuleNumber},
		{"a nested object", rewardJSON(`{"reward": {}}`), verifier.CodeRewardInvalid, verifier.RuleNumber},
		{"a repeated key", rewardJSON(`{"reward": 1, "reward": 1}`), verifier.CodeRewardInvalid, verifier.RuleUnique},
		{"a bare number", rewardJSON(`1`), verifier.CodeRewardInvalid, verifier.RuleObject},
		{"an empty object", rewardJSON(`{}`), verifier.CodeNoScores, ""},
		{"nan as text", rewardTXT(`nan`), verifier.CodeRewardInvalid, verifier.RuleFinite},
		{"inf as text", rewardTXT(`-inf`), verifier.CodeRewardInvalid, verifier.RuleFinite},
		{"nothing", verifier.Files{}, verifier.CodeRewardMissing, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faulted(t, verifier.Judge(tc.in, verifier.Options{Harbor: true}), tc.code, tc.rule)
		})
	}
}

func TestHarborRewardsIgnoreADeclaredContract(t *testing.T) {
	v := verifier.Judge(verifier.Files{RewardJSON: file(`{"reward": 7}`), Contract: file(`{"rewards": 2}`)}, verifier.Options{Harbor: true})
	complete(t, v, ptr(7.0))
	warned(t, v, verifier.WarnContractIgnored)
}
