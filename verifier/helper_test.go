package verifier_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/verifier"
)

func file(s string) *verifier.File {
	return &verifier.File{Data: []byte(s), Size: int64(len(s))}
}

func rewardJSON(s string) verifier.Files { return verifier.Files{RewardJSON: file(s)} }

func rewardTXT(s string) verifier.Files { return verifier.Files{RewardTXT: file(s)} }

func withDetails(rewards, details string) verifier.Files {
	return verifier.Files{RewardJSON: file(rewards), Details: file(details)}
}

func ptr[T any](v T) *T { return &v }

// complete fails the test if v has a fault, and compares its score; a nil want means no score.
func complete(t *testing.T, v verifier.Verdict, want *float64) {
	t.Helper()
	if v.Fault != nil {
		t.Fatalf("fault: %s", v.Fault.Message)
	}
	if diff := cmp.Diff(want, v.Score); diff != "" {
		t.Errorf("score: %s", diff)
	}
}

// faulted fails the test unless v has a fault of this code and rule, and nothing that counts.
func faulted(t *testing.T, v verifier.Verdict, code, rule string) *verifier.Fault {
	t.Helper()
	if v.Fault == nil {
		t.Fatalf("complete, want %s", code)
	}
	if v.Fault.Code != code || v.Fault.Rule != rule {
		t.Errorf("fault is %s, rule %q, want %s, rule %q: %s", v.Fault.Code, v.Fault.Rule, code, rule, v.Fault.Message)
	}
	if v.Score != nil || v.Derived || len(v.Scores) > 0 {
		t.Errorf("scores beside a fault: %v, %v", v.Score, v.Scores)
	}
	return v.Fault
}

func warned(t *testing.T, v verifier.Verdict, codes ...string) {
	t.Helper()
	var got []string
	for _, w := range v.Warnings {
		got = append(got, w.Code)
	}
	if diff := cmp.Diff(codes, got); diff != "" {
		t.Errorf("warnings: %s", diff)
	}
}

func mentions(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not mention %q", text, w)
		}
	}
}

func scoreNamed(t *testing.T, v verifier.Verdict, name string) verifier.Score {
	t.Helper()
	i := slices.IndexFunc(v.Scores, func(s verifier.Score) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no score %q in %v", name, v.Scores)
	}
	return v.Scores[i]
}
