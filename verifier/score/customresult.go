package score

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/verifier"
)

// ScoresName is the file in which a script leaves its scores, in /logs/verifier, and MaxScoresBytes how large it may be.
const (
	ScoresName     = "scores.json"
	MaxScoresBytes = 1 << 20
)

// ScriptError is a fault of a script that was to come to scores. It is never a score.
type ScriptError struct{ What string }

func (e *ScriptError) Error() string { return "the evaluator: " + e.What }

// Results reads what a script left: an object "scores" with values from 0 to 1, and maybe an object "reasons" with a sentence for each. total is nil where the
// script says none and there are no weights. The error is a *ScriptError: then there is no score, and nothing stands in for it.
func (c *Custom) Results(data []byte) (total *float64, results []Result, err error) {
	scores, reasons, err := scoresIn(data)
	if err != nil {
		return nil, nil, err
	}
	v := verifier.Judge(verifier.Files{RewardJSON: &verifier.File{Data: scores, Size: int64(len(scores))}}, verifier.Options{})
	if v.Fault != nil {
		return nil, nil, &ScriptError{ScoresName + ": scores: " + v.Fault.Message}
	}
	var sum float64
	seen := map[string]bool{}
	for _, s := range v.Scores {
		if s.Name == verifier.RewardKey {
			total = s.Value
			continue
		}
		r := Result{Name: s.Name, Weight: 1, Primitive: "custom-script", Outcome: Outcome{Value: *s.Value, Why: cmp.Or(reasons[s.Name], "the evaluator says so")}}
		if c.Weights != nil {
			w, ok := c.Weights[s.Name]
			if !ok {
				return nil, nil, &ScriptError{fmt.Sprintf("%s: %q has no weight in the specification", ScoresName, s.Name)}
			}
			r.Weight = w
			sum += w * r.Value
		}
		seen[s.Name] = true
		results = append(results, r)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Weights)) {
		if !seen[name] {
			return nil, nil, &ScriptError{fmt.Sprintf("%s: there is no score %q, which has a weight in the specification", ScoresName, name)}
		}
	}
	for name := range reasons {
		if !seen[name] && name != verifier.RewardKey {
			return nil, nil, &ScriptError{fmt.Sprintf("%s: reasons: there is no score %q", ScoresName, name)}
		}
	}
	if c.Weights != nil {
		sum = rounded(sum)
		if total != nil {
			return nil, nil, &ScriptError{ScoresName + ": the specification has weights, so the script must not write a reward of its own"}
		}
		total = &sum
	}
	return total, results, nil
}

// rounded takes off what adding up binary fractions leaves.
func rounded(total float64) float64 {
	const decimals = 1e12
	return max(0, min(1, math.Round(total*decimals)/decimals))
}

func badScores(format string, args ...any) error {
	return &ScriptError{ScoresName + ": " + fmt.Sprintf(format, args...)}
}

// scoresIn takes the two objects out of the file.
func scoresIn(data []byte) (scores []byte, reasons map[string]string, err error) {
	if len(data) > MaxScoresBytes {
		return nil, nil, badScores("is larger than %d bytes", MaxScoresBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, badScores("is no JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, badScores("is no JSON: %v", err)
		}
		key, _ := t.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, nil, badScores("is no JSON: %v", err)
		}
		switch {
		case key == "scores" && scores == nil:
			scores = raw
		case key == "reasons" && reasons == nil:
			if err := json.Unmarshal(raw, &reasons); err != nil {
				return nil, nil, badScores("reasons must be an object of texts")
			}
		default:
			return nil, nil, badScores("unknown or repeated key %q; want scores and reasons", key)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, badScores("is no JSON: %v", err)
	}
	if strings.TrimSpace(string(data[dec.InputOffset():])) != "" {
		return nil, nil, badScores("something follows the object")
	}
	if !strings.HasPrefix(strings.TrimSpace(string(scores)), "{") || strings.Trim(string(scores), "{} \t\r\n") == "" {
		return nil, nil, badScores("has no scores")
	}
	return scores, reasons, nil
}
