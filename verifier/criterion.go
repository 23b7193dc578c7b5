package verifier

import "strings"

// criterion reads one criterion. An optional one with an error has no value, even if a number was given: a judge that
// timed out leaves 0 there.
func (r *detailsReader) criterion(n node) Criterion {
	c := Criterion{Status: StatusScored}
	if name, ok := n.get("name"); ok {
		c.Name = r.string(name, maxShown)
	}
	if reasoning, ok := n.get("reasoning"); ok {
		c.Reasoning = r.string(reasoning, MaxReasoning)
	}
	if text, ok := n.get("error"); ok {
		c.Error = r.string(text, MaxReasoning)
	}
	if optional, ok := n.get("optional"); ok {
		switch optional.kind {
		case kindBool:
			is := optional.raw == "true"
			c.Optional = &is
		case kindNull:
		default:
			r.warn(WarnDetailsCriterion, c.Name, "has \"optional\" as "+optional.describe()+", not a truth value; that is left out")
		}
	}
	if c.Optional != nil && *c.Optional && strings.TrimSpace(c.Error) != "" {
		c.Status = StatusNotApplicable
		return c
	}
	if value, ok := n.get("value"); ok {
		c.Value = r.value(value, c.Name)
	}
	return c
}

func (r *detailsReader) value(n node, name string) *float64 {
	var v float64
	switch n.kind {
	case kindNull:
		return nil
	case kindBool:
		if n.raw == "true" {
			v = 1
		}
		r.warn(WarnCriterionBoolean, name, "has a truth value, which is taken as 1 or 0")
	case kindNumber:
		var finite bool
		if v, finite = readNumber(n.raw); !finite {
			r.warn(WarnCriterionNotFinite, name, "has a value that is not finite, which is left out")
			return nil
		}
		if !isScore(n.raw) {
			r.warn(WarnCriterionRange, name, "has a value that is not from 0 to 1; it is kept as given")
		}
	case kindNotFinite:
		r.warn(WarnCriterionNotFinite, name, "has a value that is not finite, which is left out")
		return nil
	default:
		r.warn(WarnDetailsCriterion, name, "has "+n.describe()+" as its value, which is left out")
		return nil
	}
	return &v
}

// string is a text, or anything else as it was written; null is no text.
func (r *detailsReader) string(n node, limit int) string {
	switch n.kind {
	case kindNull:
		return ""
	case kindString:
		return r.opt.text(n.text, limit)
	default:
		return r.opt.text(n.raw, limit)
	}
}

func (r *detailsReader) warn(code, criterion, what string) {
	r.w.add(code, "criterion %q of %q in %s %s", criterion, r.name, DetailsName, what)
}
