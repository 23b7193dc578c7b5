package verifier_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/verifier"
)

func TestVerdictsAsJSON(t *testing.T) {
	run := verifier.Run{Script: "/tests/test.sh", Duration: 2 * time.Second}
	failed := verifier.Run{Script: "/tests/test.sh", Duration: 250 * time.Millisecond, Exit: 3, Output: "collecting\nModuleNotFoundError: numpy\n"}
	got, err := json.MarshalIndent(map[string]verifier.Verdict{
		"a score":                 verifier.Conclude(rewardJSON(`{"reward": 1}`), run, verifier.Options{}),
		"a score from a text":     verifier.Conclude(rewardTXT("0.5\n"), run, verifier.Options{}),
		"a derived score":         verifier.Conclude(withDetails(`{"a": 1, "b": 0.5}`, `{"a": {"kind": "llm", "judge": {"judge": "m"}, "criteria": [{"name": "x", "value": 1, "reasoning": "good"}]}, "c": [{"name": "y", "value": 0, "optional": true, "error": "timed out"}]}`), run, verifier.Options{}),
		"complete without score":  verifier.Conclude(withDetails(`{}`, allOff), run, verifier.Options{}),
		"harbor's rewards":        verifier.Conclude(rewardJSON(`{"profit": 12, "calls": 30}`), run, verifier.Options{Harbor: true}),
		"broken rewards":          verifier.Conclude(rewardJSON(`{"z": NaN, "a": 2, "b": true, "b": 1}`), run, verifier.Options{Case: "refund"}),
		"a link":                  verifier.Conclude(verifier.Files{RewardJSON: &verifier.File{Problem: "link"}, RewardTXT: file("1")}, run, verifier.Options{}),
		"an unknown contract":     verifier.Conclude(verifier.Files{RewardJSON: file(`{"reward": 1}`), Contract: file(`{"rewards": 3}`)}, run, verifier.Options{}),
		"no reward":               verifier.Conclude(verifier.Files{Listing: []string{"ctrf.json", "run.log"}}, run, verifier.Options{Case: "refund"}),
		"no reward and a failure": verifier.Conclude(verifier.Files{}, failed, verifier.Options{}),
		"no interpreter":          verifier.Conclude(verifier.Files{}, verifier.Run{Script: "/tests/test.sh", StartKind: verifier.StartInterpreter, StartDetail: "/usr/bin/fish"}, verifier.Options{}),
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/verdicts.golden.json", string(got)+"\n")
}
