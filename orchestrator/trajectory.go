package orchestrator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxTrajectory bounds how much of a trajectory is read, in bytes.
const maxTrajectory = 64 << 20

// Usage is what a trajectory says of the agent's model. Nil means that it does not say.
type Usage struct {
	Model        *string
	PromptTokens *int64
	OutputTokens *int64
	CachedTokens *int64
	CostUSD      *float64
	Steps        int
}

// trajectory is the part of the Agent Trajectory Interchange Format (ATIF, versions 1.0 to 1.7) that is read.
type trajectory struct {
	SchemaVersion string `json:"schema_version"`
	Agent         struct {
		Name      string `json:"name"`
		ModelName string `json:"model_name"`
	} `json:"agent"`
	Steps        steps `json:"steps"`
	FinalMetrics *struct {
		Prompt     *json.Number `json:"total_prompt_tokens"`
		Completion *json.Number `json:"total_completion_tokens"`
		Cached     *json.Number `json:"total_cached_tokens"`
		Cost       *json.Number `json:"total_cost_usd"`
	} `json:"final_metrics"`
}

// steps adds the steps up as they are read, one at a time: the file is an agent's, and may have millions of them.
type steps struct {
	count int
	sum   Usage
}

// UnmarshalJSON reads the list of steps.
func (s *steps) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return errors.New("steps is not a list")
	}
	for dec.More() {
		var step struct {
			ModelName string   `json:"model_name"`
			Metrics   *metrics `json:"metrics"`
		}
		if err := dec.Decode(&step); err != nil {
			return fmt.Errorf("step %d: %w", s.count+1, err)
		}
		s.count++
		if step.ModelName != "" {
			s.sum.Model = modelName(step.ModelName)
		}
		if m := step.Metrics; m != nil {
			u := &s.sum
			u.PromptTokens, u.OutputTokens, u.CachedTokens = plus(u.PromptTokens, m.Prompt), plus(u.OutputTokens, m.Completion), plus(u.CachedTokens, m.Cached)
			u.CostUSD = plusFloat(u.CostUSD, m.Cost)
		}
	}
	return nil
}

// modelName cuts a name to what a record should hold.
func modelName(s string) *string {
	const most = 256
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return &s
}

type metrics struct {
	Prompt     *json.Number `json:"prompt_tokens"`
	Completion *json.Number `json:"completion_tokens"`
	Cached     *json.Number `json:"cached_tokens"`
	Cost       *json.Number `json:"cost_usd"`
}

// ReadTrajectory reads an ATIF trajectory. Totals come from final_metrics, else they are the sums of the steps' metrics. The model is that of the last
// step that names one, else the agent's.
func ReadTrajectory(r io.Reader) (Usage, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTrajectory+1))
	if err != nil {
		return Usage{}, fmt.Errorf("read the trajectory: %w", err)
	}
	if len(data) > maxTrajectory {
		return Usage{}, fmt.Errorf("read the trajectory: larger than %d MiB", maxTrajectory>>20)
	}
	var t trajectory
	if err := json.Unmarshal(data, &t); err != nil {
		return Usage{}, fmt.Errorf("read the trajectory: %w", err)
	}
	if t.SchemaVersion == "" && t.Steps.count == 0 && t.FinalMetrics == nil {
		return Usage{}, errors.New("read the trajectory: it is not in the ATIF form")
	}
	u := t.Steps.sum
	u.Steps = t.Steps.count
	if u.Model == nil && t.Agent.ModelName != "" {
		u.Model = modelName(t.Agent.ModelName)
	}
	if f := t.FinalMetrics; f != nil {
		u.PromptTokens, u.OutputTokens, u.CachedTokens = or(plus(nil, f.Prompt), u.PromptTokens), or(plus(nil, f.Completion), u.OutputTokens), or(plus(nil, f.Cached), u.CachedTokens)
		u.CostUSD = or(plusFloat(nil, f.Cost), u.CostUSD)
	}
	return u, nil
}

func or[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// plus adds a count; what is not a number of tokens is as if it were not there.
func plus(sum *int64, n *json.Number) *int64 {
	if n == nil {
		return sum
	}
	v, err := n.Int64()
	if err != nil || v < 0 {
		return sum
	}
	if sum != nil {
		v += *sum
	}
	if v < 0 {
		return sum
	}
	return &v
}

func plusFloat(sum *float64, n *json.Number) *float64 {
	if n == nil {
		return sum
	}
	v, err := n.Float64()
	if err != nil || v < 0 {
		return sum
	}
	if sum != nil {
		v += *sum
	}
	if v > 1e15 {
		return sum
	}
	return &v
}
