package score_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier"
	"github.com/seatrial/seatrial/verifier/score"
)

func TestWrite(t *testing.T) {
	half, nan := 0.5, math.NaN()
	results := []score.Result{
		{Name: "a", Weight: 0.5, Primitive: "exact_match", Outcome: score.Outcome{Value: 1, Why: "so"}},
		{Name: "b", Weight: 0.5, Primitive: "fuzzy_string", Outcome: score.Outcome{Why: "no", Error: "bad"}},
	}
	read := func(t *testing.T, dir, name string) any {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Run("the total is the reward, beside the dimensions", func(t *testing.T) {
		dir := t.TempDir()
		if err := score.Write(dir, &half, results); err != nil {
			t.Fatal(err)
		}
		if got := read(t, dir, verifier.RewardJSONName); !reflect.DeepEqual(got, map[string]any{"reward": 0.5, "a": 1.0, "b": 0.0}) {
			t.Errorf("%v", got)
		}
		details := map[string]any{
			"a": map[string]any{"score": 1.0, "kind": "programmatic", "criteria": []any{map[string]any{"name": "exact_match", "value": 1.0, "weight": 0.5, "reasoning": "so"}}},
			"b": map[string]any{"score": 0.0, "kind": "programmatic", "criteria": []any{map[string]any{"name": "fuzzy_string", "value": 0.0, "weight": 0.5, "reasoning": "no", "error": "bad"}}},
		}
		if got := read(t, dir, verifier.DetailsName); !reflect.DeepEqual(got, details) {
			t.Errorf("%v", got)
		}
	})
	t.Run("details that are there are kept, and no reward is written beside them", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, verifier.DetailsName), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := score.Write(dir, &half, results); err == nil || !strings.HasPrefix(err.Error(), "the rewards: ") {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, verifier.RewardJSONName)); !os.IsNotExist(err) {
			t.Error(err)
		}
	})
	t.Run("a reward that is there is kept", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, verifier.RewardJSONName)); err != nil {
			t.Fatal(err)
		}
		if err := score.Write(dir, &half, results); err == nil {
			t.Error("a link was written through")
		}
	})
	t.Run("a total that is no number is not written", func(t *testing.T) {
		dir := t.TempDir()
		if err := score.Write(dir, &nan, results); err == nil || !strings.Contains(err.Error(), "NaN") {
			t.Error(err)
		}
	})
}
