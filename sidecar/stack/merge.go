package stack

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// pair is one key of a mapping with its value, merge keys resolved.
type pair struct {
	key, value *yaml.Node
}

// pairs lists a mapping's keys in order, its own first, then those that it merges in with "<<".
func (t *reader) pairs(n *yaml.Node, path []string, depth int) []pair {
	if depth > maxDepth {
		t.report.invalid(t.report.at(path...), "merge keys are nested too deep")
		return nil
	}
	t.nodes += len(n.Content) / 2
	var own, merged []pair
	first := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolved(n.Content[i]), n.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, t.merged(value, path, depth)...)
			continue
		}
		at := Place{File: t.report.file, Line: n.Content[i].Line, Column: n.Content[i].Column, Key: dotted(path)}
		if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
			t.report.invalid(at, "a key here is not a text; put it in quotes")
			continue
		}
		if line, twice := first[key.Value]; twice {
			t.report.invalid(at, fmt.Sprintf("key %q is given twice, first in line %d", key.Value, line))
			continue
		}
		first[key.Value] = key.Line
		own = append(own, pair{n.Content[i], value})
	}
	for _, p := range merged {
		if _, taken := first[resolved(p.key).Value]; !taken {
			first[resolved(p.key).Value] = p.key.Line
			own = append(own, p)
		}
	}
	for i := range own {
		own[i].key = resolved(own[i].key)
	}
	return own
}

// merged lists the pairs of what stands behind "<<": a mapping or a list of mappings, the first winning.
func (t *reader) merged(n *yaml.Node, path []string, depth int) []pair {
	if t.nodes++; t.nodes > maxNodes {
		return nil
	}
	switch n = resolved(n); n.Kind {
	case yaml.MappingNode:
		return t.pairs(n, path, depth+1)
	case yaml.SequenceNode:
		var all []pair
		for _, c := range n.Content {
			if depth < maxDepth {
				all = append(all, t.merged(c, path, depth+1)...)
			}
		}
		return all
	default:
	}
	t.report.invalid(t.report.at(path...), "<< takes a mapping or a list of mappings")
	return nil
}

// resolved follows an alias.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
