// Package reward adds a dimension to the files that a verifier leaves: its value to reward.json, the reason for it to
// reward-details.json. What other tools have written there stays.
package reward

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
)

// The files, in the verifier's folder.
const (
	RewardsName = "reward.json"
	DetailsName = "reward-details.json"
)

// DefaultDir is the verifier's folder inside its container.
const DefaultDir = "/logs/verifier"

// maxFile is the largest of the files that is read, in bytes: as much as the details may have.
const maxFile = 8 << 20

// Dimension is one key of the rewards, and why it has its value.
type Dimension struct {
	Name string
	// Criterion names what was checked.
	Criterion string
	Pass      bool
	Reasoning string
}

// FileError says that what stands in a file already cannot be added to.
type FileError struct {
	Path  string
	Cause error
}

// Error implements error.
func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Cause) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Cause }

// Add puts d into both files of dir, which is made where it is missing. A dimension that is there already keeps the lower of
// the two values: it holds only if all that was checked for it holds. Each file is replaced in one piece; the details come
// first. Callers must not add at the same time. Errors are *FileError.
func Add(dir string, d Dimension) error {
	rewardsPath, detailsPath := filepath.Join(dir, RewardsName), filepath.Join(dir, DetailsName)
	rewards, err := readObject(rewardsPath)
	if err != nil {
		return err
	}
	details, err := readObject(detailsPath)
	if err != nil {
		return err
	}
	value := 0.0
	if d.Pass {
		value = 1
	}
	criterion := map[string]any{"name": d.Criterion, "value": value, "raw": d.Pass, "weight": 1.0, "reasoning": d.Reasoning}
	if old, ok := rewards[d.Name]; ok {
		var f float64
		if err := json.Unmarshal(old, &f); err != nil || math.IsNaN(f) {
			return &FileError{rewardsPath, fmt.Errorf("%q is there already, and no number: %s", d.Name, old)}
		}
		value = min(value, f)
	}
	if details[d.Name], err = withCriterion(details[d.Name], criterion, value); err != nil {
		return &FileError{detailsPath, fmt.Errorf("%q: %w", d.Name, err)}
	}
	if rewards[d.Name], err = json.Marshal(value); err != nil {
		return &FileError{rewardsPath, err}
	}
	if err := writeObject(detailsPath, details); err != nil {
		return err
	}
	return writeObject(rewardsPath, rewards)
}

// withCriterion adds a criterion to an entry of the details in whichever of its three shapes it has.
func withCriterion(old json.RawMessage, criterion map[string]any, value float64) (json.RawMessage, error) {
	fresh := map[string]any{"score": value, "criteria": []any{criterion}, "kind": "programmatic"}
	if old == nil {
		return marshal(fresh)
	}
	var list []json.RawMessage
	if json.Unmarshal(old, &list) == nil && list != nil {
		var add any = criterion
		if len(list) > 0 && hasCriteria(list[0]) {
			add = fresh
		}
		raw, err := marshal(add)
		if err != nil {
			return nil, err
		}
		return marshal(append(list, raw))
	}
	var entry map[string]json.RawMessage
	if json.Unmarshal(old, &entry) != nil || entry == nil {
		return nil, errors.New("its entry is neither an object nor a list")
	}
	var criteria []json.RawMessage
	if c, ok := entry["criteria"]; ok && json.Unmarshal(c, &criteria) != nil {
		return nil, errors.New("its criteria are no list")
	}
	raw, err := marshal(criterion)
	if err != nil {
		return nil, err
	}
	if entry["criteria"], err = marshal(append(criteria, raw)); err != nil {
		return nil, err
	}
	if entry["score"], err = marshal(value); err != nil {
		return nil, err
	}
	return marshal(entry)
}

func hasCriteria(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o["criteria"] != nil
}

func marshal(v any) (json.RawMessage, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing it: %w", err)
	}
	return out, nil
}
