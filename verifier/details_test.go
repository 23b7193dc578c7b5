package verifier_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/verifier"
)

func TestDetailsShapes(t *testing.T) {
	x := verifier.Criterion{Name: "x", Value: ptr(1.0), Status: verifier.StatusScored}
	y := verifier.Criterion{Name: "y", Value: ptr(0.0), Status: verifier.StatusScored}
	for _, tc := range []struct {
		name, entry string
		want        []verifier.Criterion
		warnings    []string
	}{
		{"an object with criteria", `{"score": 1, "criteria": [{"name": "x", "value": 1}]}`, []verifier.Criterion{x}, nil},
		{"a list of such objects, in order", `[{"criteria": [{"name": "x", "value": 1}]}, {"criteria": [{"name": "y", "value": 0}]}]`, []verifier.Criterion{x, y}, nil},
		{"a bare list of criteria", `[{"name": "y", "value": 0}, {"name": "x", "value": 1}]`, []verifier.Criterion{y, x}, nil},
		{"an empty list", `[]`, nil, nil},
		{"a text", `"fine"`, nil, []string{verifier.WarnDetailsEntry}},
		{"an object without criteria", `{"score": 1}`, nil, []string{verifier.WarnDetailsEntry}},
		{"criteria that are no list", `{"criteria": {}}`, nil, []string{verifier.WarnDetailsEntry}},
		{"a list with one entry that is wrong", `[{"criteria": [{"name": "x", "value": 1}]}, 7]`, []verifier.Criterion{x}, []string{verifier.WarnDetailsEntry}},
		{"a criterion that is no object", `{"criteria": [7, {"name": "x", "value": 1}]}`, []verifier.Criterion{x}, []string{verifier.WarnDetailsCriterion}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(withDetails(`{"a": 1, "b": 1}`, `{"a": `+tc.entry+`, "b": [{"name": "x", "value": 1}]}`), verifier.Options{})
			complete(t, v, ptr(1.0))
			warned(t, v, tc.warnings...)
			if tc.want == nil {
				tc.want = []verifier.Criterion{}
			}
			if diff := cmp.Diff(tc.want, scoreNamed(t, v, "a").Criteria); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]verifier.Criterion{x}, scoreNamed(t, v, "b").Criteria); diff != "" {
				t.Error("the other entry:", diff)
			}
		})
	}
}

func TestDetailsCriteria(t *testing.T) {
	const scored, off = verifier.StatusScored, verifier.StatusNotApplicable
	for _, tc := range []struct {
		name, in string
		want     verifier.Criterion
		warnings []string
	}{
		{"true is 1", `{"name": "x", "value": true}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored}, []string{verifier.WarnCriterionBoolean}},
		{"false is 0", `{"name": "x", "value": false}`, verifier.Criterion{Name: "x", Value: ptr(0.0), Status: scored}, []string{verifier.WarnCriterionBoolean}},
		{"null is no value", `{"name": "x", "value": null}`, verifier.Criterion{Name: "x", Status: scored}, nil},
		{"no value", `{"name": "x"}`, verifier.Criterion{Name: "x", Status: scored}, nil},
		{"a value over 1 is kept", `{"name": "x", "value": 7}`, verifier.Criterion{Name: "x", Value: ptr(7.0), Status: scored}, []string{verifier.WarnCriterionRange}},
		{"a value under 0 is kept", `{"name": "x", "value": -1}`, verifier.Criterion{Name: "x", Value: ptr(-1.0), Status: scored}, []string{verifier.WarnCriterionRange}},
		{"NaN is no value", `{"name": "x", "value": NaN}`, verifier.Criterion{Name: "x", Status: scored}, []string{verifier.WarnCriterionNotFinite}},
		{"an overflowing value is no value", `{"name": "x", "value": 1e999}`, verifier.Criterion{Name: "x", Status: scored}, []string{verifier.WarnCriterionNotFinite}},
		{"a text is no value", `{"name": "x", "value": "1"}`, verifier.Criterion{Name: "x", Status: scored}, []string{verifier.WarnDetailsCriterion}},
		{"optional with an error is not applicable whatever its value", `{"name": "x", "value": 0.0, "optional": true, "error": "e"}`, verifier.Criterion{Name: "x", Status: off, Optional: ptr(true), Error: "e"}, nil},
		{"an error that is not optional is scored", `{"name": "x", "value": 0.0, "error": "e"}`, verifier.Criterion{Name: "x", Value: ptr(0.0), Status: scored, Error: "e"}, nil},
		{"an error that says it is not optional is scored", `{"name": "x", "value": 0, "optional": false, "error": "e"}`, verifier.Criterion{Name: "x", Value: ptr(0.0), Status: scored, Optional: ptr(false), Error: "e"}, nil},
		{"optional without an error is ordinary", `{"name": "x", "value": 1, "optional": true}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Optional: ptr(true)}, nil},
		{"optional with an empty error is ordinary", `{"name": "x", "value": 1, "optional": true, "error": ""}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Optional: ptr(true)}, nil},
		{"optional with error null is ordinary", `{"name": "x", "value": 1, "optional": true, "error": null}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Optional: ptr(true)}, nil},
		{"optional as a text does not count", `{"name": "x", "value": 1, "optional": "true", "error": "e"}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Error: "e"}, []string{verifier.WarnDetailsCriterion}},
		{"reasoning is kept", `{"name": "x", "value": 1, "reasoning": "why\nnot"}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Reasoning: "why\nnot"}, nil},
		{"reasoning that is no text is kept as written", `{"name": "x", "value": 1, "reasoning": {"a": [1]}}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Reasoning: `{"a": [1]}`}, nil},
		{"long reasoning is cut", `{"name": "x", "value": 1, "reasoning": "` + strings.Repeat("r", 70000) + `"}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Reasoning: strings.Repeat("r", 64<<10) + " [cut]"}, nil},
		{"text that is not UTF-8 is mended", "{\"name\": \"x\", \"value\": 1, \"reasoning\": \"a\xffb\"}", verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored, Reasoning: "a\uFFFDb"}, nil},
		{"other keys are ignored", `{"id": 7, "name": "x", "value": 1, "raw": "yes", "weight": 3, "new": {}}`, verifier.Criterion{Name: "x", Value: ptr(1.0), Status: scored}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(withDetails(`{"a": 1}`, `{"a": {"criteria": [`+tc.in+`, {"name": "other", "value": 1}]}}`), verifier.Options{})
			complete(t, v, ptr(1.0))
			warned(t, v, tc.warnings...)
			if diff := cmp.Diff(tc.want, scoreNamed(t, v, "a").Criteria[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetailsDimensions(t *testing.T) {
	const off = `[{"name": "x", "optional": true, "error": "e"}]`
	for _, tc := range []struct {
		name, rewards, details string
		want                   *float64
		rule                   string // of the fault, if any
		scores                 string // names and statuses
		warnings               []string
	}{
		{"an empty list is not all-not-applicable", `{}`, `{"a": {"criteria": []}}`, nil, verifier.RuleEmpty, "", []string{verifier.WarnDetailsOnlyDimension}},
		{"empty details with empty rewards are rejected", `{}`, `{}`, nil, verifier.RuleEmpty, "", nil},
		{"a number beside criteria that are not applicable wins", `{"a": 0.5}`, `{"a": ` + off + `}`, ptr(0.5), "", "a scored", []string{verifier.WarnScoreWithoutCriteria}},
		{"a dimension with applicable criteria and no score is not recorded", `{"a": 0.5}`, `{"b": [{"name": "x", "value": 1}]}`, ptr(0.5), "", "a scored", []string{verifier.WarnDetailsOnlyDimension}},
		{"reward in the details counts as a dimension", `{}`, `{"reward": ` + off + `}`, nil, "", "reward not_applicable", nil},
		{"a repeated dimension is one with all criteria", `{}`, `{"a": ` + off + `, "a": [{"name": "y", "value": 1}]}`, nil, verifier.RuleEmpty, "", []string{verifier.WarnDetailsOnlyDimension}},
		{"scores are sorted by name", `{"c": 1, "a": 1}`, `{"b": ` + off + `}`, ptr(1.0), "", "a scored, b not_applicable, c scored", nil},
		{"a dimension with a name that no score may have is not recorded", `{"a": 1}`, `{"": ` + off + `}`, ptr(1.0), "", "a scored", []string{verifier.WarnDetailsOnlyDimension}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(withDetails(tc.rewards, tc.details), verifier.Options{})
			warned(t, v, tc.warnings...)
			if tc.rule != "" {
				faulted(t, v, verifier.CodeRewardInvalid, tc.rule)
				return
			}
			complete(t, v, tc.want)
			var got []string
			for _, s := range v.Scores {
				got = append(got, s.Name+" "+s.Status)
			}
			if diff := cmp.Diff(tc.scores, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetailsNameTheJudge(t *testing.T) {
	v := verifier.Judge(withDetails(`{"a": 1, "b": 1, "c": 1}`, `{
		"a": {"kind": "llm", "judge": {"judge": "some/model", "timeout": 300}, "judge_output": "long", "criteria": []},
		"b": [{"kind": "programmatic", "criteria": []}, {"kind": "agent", "judge": "some-agent", "criteria": []}],
		"c": {"kind": 7, "judge": {"timeout": 300}, "criteria": []}}`), verifier.Options{})
	var got []string
	for _, s := range v.Scores {
		got = append(got, s.Kind+"; "+s.Judge)
	}
	if diff := cmp.Diff([]string{"llm; some/model", "programmatic, agent; some-agent", "; "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDetailsHideSecrets(t *testing.T) {
	secret := "hunter22"
	mask := func(s string) string { return strings.ReplaceAll(s, secret, "[masked]") }
	long := strings.Repeat("r", 64<<10-4) + secret
	v := verifier.Judge(verifier.Files{
		RewardJSON: file(`{"a": 1, "hunter22": 1}`),
		RewardTXT:  file("hunter22"),
		Details:    file(fmt.Sprintf(`{"a": {"kind": "hunter22", "judge": "hunter22", "criteria": [{"name": "hunter22", "value": "hunter22", "reasoning": %q, "error": "x hunter22"}]}, "hunter22x": 1}`, long)),
		Contract:   file(`{"x": "hunter22"}`),
	}, verifier.Options{Mask: mask})
	complete(t, v, ptr(1.0))
	text := fmt.Sprintf("%+v", v)
	for _, c := range scoreNamed(t, v, "a").Criteria {
		text += c.Reasoning + c.Error + c.Name
	}
	if strings.Contains(text, "hunt") {
		t.Errorf("a secret is in %.300s", text)
	}
	f := faulted(t, verifier.Judge(rewardJSON(`{"hunter22": "hunter22", "b": ["`+strings.Repeat("v", 194)+`hunter22"]}`), verifier.Options{Mask: mask}), verifier.CodeRewardInvalid, verifier.RuleNumber)
	if text := fmt.Sprintf("%+v", *f); strings.Contains(text, "hunt") {
		t.Errorf("a secret is in %s", text)
	}
}

func TestDetailsWithManyFaultsGiveFewWarnings(t *testing.T) {
	criteria := strings.TrimSuffix(strings.Repeat(`{"name": "x", "value": true},`, 1000), ",")
	v := verifier.Judge(withDetails(`{"a": 1}`, `{"a": [`+criteria+`]}`), verifier.Options{})
	complete(t, v, ptr(1.0))
	if len(v.Warnings) != 11 {
		t.Fatalf("%d warnings", len(v.Warnings))
	}
	mentions(t, v.Warnings[10].Message, "990 more")
}

func TestDetailsWithTooManyValuesAreUnreadable(t *testing.T) {
	v := verifier.Judge(withDetails(`{"a": 1}`, `{"a": [`+strings.Repeat("1,", 400_000)+`1]}`), verifier.Options{})
	complete(t, v, ptr(1.0))
	warned(t, v, verifier.WarnDetailsUnreadable)
}
