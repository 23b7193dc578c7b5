package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	slash "path"
	"slices"
	"strings"
	"time"
)

// Custom is an evaluator of the author's own: a script that runs apart from the agent, without a network, and leaves its scores in a file.
type Custom struct {
	// Script is its name beside the specification.
	Script string
	// Image is what it runs in; empty = the image of the task.
	Image string
	// Timeout ends it; then there is no score.
	Timeout time.Duration
	// Twice runs it two times, and takes a difference between the two for a fault.
	Twice bool
	// Weights are of the total, by score, and add up to 1; nil = the script writes the total as "reward", or there is none.
	Weights map[string]float64
}

// The limit of a script that names none, and the most that one can name.
const (
	defaultTimeout = time.Minute
	maxTimeout     = 24 * time.Hour
)

// files reads the names of the answers' files.
func (s *Spec) files(root map[string]any) error {
	if v, there := root["submission"]; there {
		name, ok := v.(string)
		if !ok || name == "" || strings.ContainsRune(name, 0) {
			return &SpecError{Key: "submission", What: "must be the path of a file in the agent's container, as in \"/app/answer.json\""}
		}
		s.Submission = name
	}
	v, there := root["truth"]
	if !there {
		return nil
	}
	name, ok := v.(string)
	if s.Truth = name; !ok || !beside(name) {
		return &SpecError{Key: "truth", What: "must be the name of a file beside the specification, as in \"truth.json\""}
	}
	return nil
}

// beside says whether a name stays in the specification's folder.
func beside(name string) bool {
	return name != "" && !slash.IsAbs(name) && !strings.ContainsAny(name, "\x00\\") && slash.Clean(name) == name && name != ".." && name != "." && !strings.HasPrefix(name, "../")
}

func custom(root map[string]any) (*Custom, error) {
	if err := known("", root, []string{"type", "script", "image", "timeout_secs", "twice", "weights", "submission", "truth"}); err != nil {
		return nil, err
	}
	c := &Custom{Timeout: defaultTimeout}
	var ok bool
	if c.Script, ok = root["script"].(string); !ok || !beside(c.Script) {
		return nil, &SpecError{Key: "script", What: "must be the name of a file beside the specification, as in \"evaluate.py\""}
	}
	if v, there := root["image"]; there {
		if c.Image, ok = v.(string); !ok || c.Image == "" {
			return nil, &SpecError{Key: "image", What: "must be the name of an image"}
		}
	}
	if v, there := root["twice"]; there {
		if c.Twice, ok = v.(bool); !ok {
			return nil, &SpecError{Key: "twice", What: "must be true or false"}
		}
	}
	if v, there := root["timeout_secs"]; there {
		n, ok := v.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil || f <= 0 || f > maxTimeout.Seconds() {
			return nil, &SpecError{Key: "timeout_secs", What: fmt.Sprintf("must be a number above 0 and at most %g", maxTimeout.Seconds())}
		}
		c.Timeout = time.Duration(f * float64(time.Second))
	}
	return c, c.weigh(root)
}

// weigh reads the weights.
func (c *Custom) weigh(root map[string]any) error {
	v, there := root["weights"]
	if !there {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 || len(m) > maxDimensions {
		return &SpecError{Key: "weights", What: fmt.Sprintf("must be a table of 1 to %d weights", maxDimensions)}
	}
	c.Weights = map[string]float64{}
	var sum float64
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := m[name].(json.Number)
		w, err := n.Float64()
		if !ok || err != nil || w <= 0 || w > 1 {
			return &SpecError{name, "weights", "must be a number above 0 and at most 1"}
		}
		if name == "reward" {
			return &SpecError{name, "weights", "reward is the total, and has no weight"}
		}
		c.Weights[name] = w
		sum += w
	}
	if math.Abs(sum-1) > 0.001 {
		return &SpecError{Key: "weights", What: fmt.Sprintf("the weights must add up to 1, and are %g", sum)}
	}
	for name := range c.Weights {
		c.Weights[name] /= sum
	}
	return nil
}
