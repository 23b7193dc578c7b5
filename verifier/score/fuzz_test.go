package score_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

// FuzzScore: what holds of all answers, whatever they are.
func FuzzScore(f *testing.F) {
	f.Add(`1`, `1.01`)
	f.Add(`[1, "a", null]`, `[{"a": [1e3]}, true]`)
	f.Add(`"Straße"`, `"strasse"`)
	f.Add(`1e99999`, `-0.0e-5`)
	f.Add(`[{"a": 1, "a": 2}]`, `["\ud83d", "\u0000"]`)
	f.Fuzz(func(t *testing.T, s, e string) {
		for _, text := range []string{s, e} {
			// What is one value by itself must be one inside an object too.
			if v, err := score.ParseSubmission([]byte(text)); err != nil || v == nil || bytes.HasPrefix([]byte(text), []byte("\xef\xbb\xbf")) {
				return
			}
			if _, err := score.ParseSubmission([]byte(`{"v": [` + text + `]}`)); err != nil {
				return // too deep
			}
		}
		holds(t, s, e)
	})
}

// FuzzParseTruth: what is right for an author is right for an agent, and reads the same.
func FuzzParseTruth(f *testing.F) {
	f.Add([]byte(`{"v": [1, {"v": "\ud83d\ude00"}], "w": 1e99999}`))
	f.Add([]byte(`{"v": 1, "\u0076": "\ud83d"}`))
	f.Add([]byte("\xef\xbb\xbf\"\xff\\\\ud83d\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		truth, err := score.ParseTruth(data)
		submission, err2 := score.ParseSubmission(data)
		if err == nil && (err2 != nil || !reflect.DeepEqual(truth, submission)) {
			t.Errorf("%v, %v; %v, %v", truth, err, submission, err2)
		}
	})
}

// FuzzParseSpec: a specification is right, or its fault has a text; what is right scores.
func FuzzParseSpec(f *testing.F) {
	f.Add([]byte(`{"type": "deterministic", "dimensions": [{"name": "d", "weight": 1, "primitive": "exact_match", "field": "/v~1", "ground_truth_field": "v.0"}]}`), false)
	f.Add([]byte("type = \"deterministic\"\n[[dimensions]]\nname = \"d\"\nweight = 1\nprimitive = \"time_decay\"\ntime_limit_secs = 1.5\n"), true)
	f.Add([]byte("type = \"deterministic\"\n[[dimensions]]\nname = \"d\"\nweight = nan\nprimitive = \"set_overlap\"\nmethod = \"jaccard\"\nfield = \"v\"\nground_truth_field = \"v\"\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, isTOML bool) {
		s, err := score.ParseSpec(data, isTOML)
		var fault *score.SpecError
		if err != nil {
			if !errors.As(err, &fault) || fault.What == "" {
				t.Errorf("%v", err)
			}
			return
		}
		seconds := 1.0
		answers := parse(t, `{"v": [1, "a"]}`)
		if total, _, err := s.Score(answers, answers, &seconds); err == nil && !(total >= 0 && total <= 1) || err != nil && !errors.As(err, &fault) {
			t.Errorf("%v, %v", total, err)
		}
	})
}
