package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	Steps []struct {
		ModelName string   `json:"model_name"`
		Metrics   *metrics `json:"metrics"`
	} `json:"steps"`
	FinalMetrics *struct {
		Prompt     *json.Number `json:"total_prompt_tokens"`
		Completion *json.Number `json:"total_completion_tokens"`
		Cached     *json.Number `json:"total_cached_tokens"`
		Cost       *json.Number `json:"total_cost_usd"`
	} `json:"final_metrics"`
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
	if t.SchemaVersion == "" && t.Steps == nil && t.FinalMetrics == nil {
		return Usage{}, errors.New("read the trajectory: it is not in the ATIF form")
	}
	u := Usage{Steps: len(t.Steps)}
	if t.Agent.ModelName != "" {
		u.Model = &t.Agent.ModelName
	}
	for _, s := range t.Steps {
		if s.ModelName != "" {
			u.Model = &s.ModelName
		}
		if m := s.Metrics; m != nil {
			u.PromptTokens, u.OutputTokens, u.CachedTokens = plus(u.PromptTokens, m.Prompt), plus(u.OutputTokens, m.Completion), plus(u.CachedTokens, m.Cached)
			u.CostUSD = plusFloat(u.CostUSD, m.Cost)
		}
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
