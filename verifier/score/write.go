package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seatrial/seatrial/verifier"
)

// Write leaves reward.json, with the total as "reward", and reward-details.json in a folder. Neither may be there: a score is written once.
func Write(dir string, total float64, results []Result) error {
	rewards := map[string]float64{verifier.RewardKey: total}
	details := map[string]any{}
	for _, r := range results {
		rewards[r.Name] = r.Value
		c := map[string]any{"name": r.Primitive, "value": r.Value, "weight": r.Weight, "reasoning": r.Why}
		if r.Error != "" {
			c["error"] = r.Error
		}
		details[r.Name] = map[string]any{"score": r.Value, "kind": "programmatic", "criteria": []any{c}}
	}
	// The details first: whoever finds reward.json finds them too.
	return errors.Join(write(dir, verifier.DetailsName, details), write(dir, verifier.RewardJSONName, rewards))
}

func write(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the rewards: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the rewards: %w", err)
	}
	return nil
}
