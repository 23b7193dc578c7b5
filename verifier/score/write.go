package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seatrial/seatrial/verifier"
)

// Write leaves reward.json, with the total as "reward", and reward-details.json in a folder. Neither may be there: a score is written once. A total of nil is
// left out.
func Write(dir string, total *float64, results []Result) error {
	rewards, details, err := Files(total, results)
	if err != nil {
		return err
	}
	// The details first: whoever finds reward.json finds them too.
	if err := write(dir, verifier.DetailsName, details); err != nil {
		return err
	}
	return write(dir, verifier.RewardJSONName, rewards)
}

// Files returns what Write writes.
func Files(total *float64, results []Result) (rewards, details []byte, err error) {
	values, more := map[string]float64{}, map[string]any{}
	if total != nil {
		values[verifier.RewardKey] = *total
	}
	for _, r := range results {
		values[r.Name] = r.Value
		c := map[string]any{"name": r.Primitive, "value": r.Value, "weight": r.Weight, "reasoning": r.Why}
		if r.Error != "" {
			c["error"] = r.Error
		}
		more[r.Name] = map[string]any{"score": r.Value, "kind": "programmatic", "criteria": []any{c}}
	}
	if rewards, err = json.MarshalIndent(values, "", "  "); err != nil {
		return nil, nil, fmt.Errorf("the rewards: %w", err)
	}
	if details, err = json.MarshalIndent(more, "", "  "); err != nil {
		return nil, nil, fmt.Errorf("the details: %w", err)
	}
	return append(rewards, '\n'), append(details, '\n'), nil
}

func write(dir, name string, data []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("the rewards: %w", err)
	}
	return nil
}
