package stack

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seatrial/seatrial/internal/nearest"
)

const (
	// maxDepth and maxNodes bound a compose file with its aliases filled in. Real ones have a few hundred nodes.
	maxDepth = 40
	maxNodes = 50_000
)

// reader makes the plain tree that the compose loader takes from the file's nodes: variables replaced, aliases filled
// in, keys judged by the rules, everything odd reported with its position.
type reader struct {
	vars   *variables
	report *report
	hidden map[string]bool // paths of scalars that hold a value not to be shown
	nodes  int
	full   bool // the bound on nodes was hit
	failed bool // some variable is missing, so texts may be wrong
}

// value reads n, which stands at path and is judged by r. It gives false when the key is to be left out.
func (t *reader) value(n *yaml.Node, r *rule, path []string) (any, bool) {
	if t.nodes++; t.nodes > maxNodes || len(path) > maxDepth {
		if !t.full {
			t.full = true
			t.report.invalid(t.report.at(path...), "too large or too deep once its aliases are filled in")
		}
		return nil, false
	}
	if n.Kind == yaml.AliasNode {
		return t.value(n.Alias, r, path)
	}
	switch n.Tag {
	case "!reset":
		return nil, false
	case "!override":
		plain := *n
		plain.Tag = ""
		n = &plain
	case "":
	default:
		if !strings.HasPrefix(n.Tag, "!!") {
			t.report.unsupported(t.report.at(path...), "tag "+n.Tag)
			return nil, false
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return t.mapping(n, r, path), true
	case yaml.SequenceNode:
		return t.sequence(n, r, path), true
	default:
		return t.scalar(n, path)
	}
}

func (t *reader) mapping(n *yaml.Node, r *rule, path []string) map[string]any {
	out := make(map[string]any)
	for _, p := range t.pairs(n, path, 0) {
		key := p.key.Value
		at := extend(path, key)
		t.report.spots[joined(at)] = spot{p.key.Line, p.key.Column}
		below, keep := t.judge(key, r, at)
		if !keep {
			continue
		}
		if v, ok := t.value(p.value, below, at); ok {
			out[key] = v
		}
	}
	return out
}

// judge finds the rule of the key at path and reports what it says. It gives false when the key is to be left out.
func (t *reader) judge(key string, parent *rule, path []string) (*rule, bool) {
	if !parent.free() && strings.HasPrefix(key, "x-") {
		return nil, false
	}
	r := parent.below(key)
	at := t.report.at(path...)
	switch {
	case r == nil || r.verdict == unknown:
		t.report.fail(at, &UnsupportedError{Place: at, Nearest: nearest.Of(key, parent.names())})
		return nil, false
	case r.verdict == refused:
		t.report.unsupported(at, r.text)
		return nil, false
	case r.verdict == warned:
		t.report.warn(at, r.text)
		return nil, false
	}
	return r, r.verdict == honoured
}

func (t *reader) sequence(n *yaml.Node, r *rule, path []string) []any {
	out := make([]any, 0, len(n.Content))
	targets := make(map[string]bool)
	for i, c := range n.Content {
		at := extend(path, item(i))
		t.report.spots[joined(at)] = spot{c.Line, c.Column}
		var v any
		var ok bool
		if isVolumes(path) && resolved(c).Kind == yaml.ScalarNode {
			v, ok = t.shortVolume(resolved(c), at)
		} else {
			v, ok = t.value(c, r, at)
		}
		if !ok {
			continue
		}
		if volume, isMap := v.(map[string]any); isMap && isVolumes(path) {
			// The loader would keep the last of two mounts on one target and say nothing.
			target, _ := volume["target"].(string)
			if targets[target] {
				t.report.invalid(t.report.at(at...), "something else is mounted on "+target+" already")
				continue
			}
			targets[target] = true
		}
		out = append(out, v)
	}
	return out
}
