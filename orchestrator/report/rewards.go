package report

import (
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// Rewards are the lines that tell what a folder's rewards would become in a record.
func Rewards(c *orchestrator.RewardsCase) []string {
	var out []string
	switch {
	case c.Error != nil:
		out = append(out, "invalid: "+c.Error.Code+": "+Clean(c.Error.Message))
	case c.Score == nil:
		out = append(out, "valid: complete without a score, since nothing applies")
	case c.ScoreDerived:
		out = append(out, "valid: score "+number(*c.Score)+", the mean of the others, since there is no \"reward\"")
	default:
		out = append(out, "valid: score "+number(*c.Score))
	}
	switch {
	case c.Error != nil:
	case c.ContractVersion != nil:
		out = append(out, fmt.Sprintf("read from %s by version %d of the rewards contract", c.Source, *c.ContractVersion))
	default:
		out = append(out, "read from "+c.Source+" as Harbor does it")
	}
	for _, s := range c.Scores {
		out = append(out, valueOf(s.Value)+"  "+Clean(s.Name)+kind(s.Kind, s.Judge))
		for _, k := range s.Criteria {
			out = append(out, "        "+valueOf(k.Value)+"  "+Clean(k.Name)+why(k.Reasoning)+fault(k.Error))
		}
	}
	for _, w := range c.Warnings {
		out = append(out, "warning: "+w.Code+": "+Clean(w.Message))
	}
	return out
}

// valueOf fills six columns.
func valueOf(v *float64) string {
	if v == nil {
		return fmt.Sprintf("%6s", "n/a")
	}
	return fmt.Sprintf("%6s", number(*v))
}

func kind(kind, judge string) string {
	switch {
	case kind == "":
		return ""
	case judge == "":
		return " (" + Clean(kind) + ")"
	}
	return " (" + Clean(kind) + ", " + Clean(judge) + ")"
}

// why is the beginning of a criterion's reasoning, on one line.
func why(text string) string {
	const most = 200
	text = strings.TrimSpace(Clean(text))
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return ": " + text
}

func fault(text string) string {
	if text == "" {
		return ""
	}
	return " [error" + why(text) + "]"
}
