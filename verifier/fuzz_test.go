package verifier_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seatrial/seatrial/verifier"
)

// sound fails the test if a verdict breaks what every verdict must keep to.
func sound(t *testing.T, v verifier.Verdict, harbor bool) {
	t.Helper()
	number := func(what string, x *float64, contract bool) {
		switch {
		case x == nil:
		case math.IsNaN(*x) || math.IsInf(*x, 0) || *x == 0 && math.Signbit(*x):
			t.Errorf("%s is %v", what, *x)
		case contract && (*x < 0 || *x > 1):
			t.Errorf("%s is %v, not from 0 to 1", what, *x)
		}
	}
	number("the score", v.Score, !harbor)
	for _, s := range v.Scores {
		number(s.Name, s.Value, !harbor)
		if (s.Value == nil) != (s.Status == verifier.StatusNotApplicable) {
			t.Errorf("%q has value %v and status %s", s.Name, s.Value, s.Status)
		}
		for _, c := range s.Criteria {
			number(c.Name, c.Value, false)
		}
	}
	if v.Fault != nil && (v.Score != nil || v.Derived || len(v.Scores) > 0 || v.Fault.Code == "" || v.Fault.Message == "") {
		t.Errorf("a fault %+v beside score %v and scores %v", v.Fault, v.Score, v.Scores)
	}
	if v.Fault == nil && v.Score == nil && len(v.Scores) == 0 {
		t.Error("complete with nothing recorded")
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back verifier.Verdict
	if err := json.Unmarshal(data, &back); err != nil || !utf8.Valid(data) {
		t.Errorf("not strict JSON: %v: %s", err, data)
	}
}

func FuzzRewardJSON(f *testing.F) {
	for _, s := range []string{`{"reward": 1}`, `{"a": 0.5, "b": NaN, "a": -1e999}`, `{}`, `[[[[`, "\uFEFF{\"\\u00e9\": 1e-400}", `{"a": {"b": [true, null, "x"]}}`, `{"reward":1.00000000000000000001}`} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, in string, harbor bool) {
		v := verifier.Judge(rewardJSON(in), verifier.Options{Harbor: harbor})
		sound(t, v, harbor)
		// What we take, a strict reader of JSON must take too, and see the same numbers.
		if v.Fault == nil {
			var want map[string]float64
			if err := json.Unmarshal([]byte(strings.TrimPrefix(in, "\uFEFF")), &want); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
				t.Fatalf("taken although it is not JSON: %v", err)
			}
			for _, s := range v.Scores {
				if value, ok := want[s.Name]; ok && s.Value != nil && value != *s.Value {
					t.Errorf("%q is %v, want %v", s.Name, *s.Value, value)
				}
			}
		}
	})
}

func FuzzRewardText(f *testing.F) {
	for _, s := range []string{"1", "0.5\r\n", ".5", "1_0", "1__0", "nan", "-inf", "1e999", " 1 1", "0x1p4", "+.5e-1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		sound(t, verifier.Judge(rewardTXT(in), verifier.Options{}), false)
		sound(t, verifier.Judge(rewardTXT(in), verifier.Options{Harbor: true}), true)
	})
}

func FuzzDetails(f *testing.F) {
	for _, s := range []string{allOff, `{"a": [{"criteria": [{"name": 7, "value": NaN}]}, 7], "a": "x"}`, `{"reward": {"criteria": [{"value": true, "optional": 1, "error": {}}], "judge": {"model": "m"}}}`, "{\"\xff\": []}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		v := verifier.Judge(withDetails(`{"a": 0.25, "reward": 0.5}`, in), verifier.Options{})
		sound(t, v, false)
		if v.Fault != nil || *v.Score != 0.5 {
			t.Errorf("details change the verdict: %v, %v", v.Score, v.Fault)
		}
		sound(t, verifier.Judge(withDetails(`{}`, in), verifier.Options{}), false)
	})
}

func FuzzJudge(f *testing.F) {
	f.Add(`{"reward": 1}`, "1", allOff, `{"rewards": 1}`, "tail\n", byte(0))
	f.Add(`{}`, "", "{}", `{"rewards": true}`, "", byte(7))
	f.Add(`{"a": 2, "b": 1e308}`, "nan", `{"a": []}`, "", "\xff", byte(0x5a))
	f.Fuzz(func(t *testing.T, rewards, text, details, contract, output string, bits byte) {
		bit := func(n int) bool { return bits&(1<<n) != 0 }
		in := verifier.Files{RewardJSON: file(rewards), RewardTXT: file(text), Details: file(details), Contract: file(contract), Listing: []string{output}}
		if bit(0) {
			in.RewardJSON = nil
		}
		if bit(1) {
			in.RewardTXT = nil
		}
		if bit(2) {
			in.Contract = nil
		}
		opt := verifier.Options{Harbor: bit(3), Case: output, Mask: func(s string) string { return strings.ReplaceAll(s, "a", "\xff") }}
		run := verifier.Run{Exit: int(bits), LimitFired: bit(4), Lost: bit(5), Output: output, Duration: time.Duration(bits)}
		if bit(6) {
			run.StartKind, run.StartDetail = text, output
		}
		sound(t, verifier.Judge(in, opt), opt.Harbor)
		sound(t, verifier.Conclude(in, run, opt), opt.Harbor)
	})
}
