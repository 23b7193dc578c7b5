package tree

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

func parseYAML(file string, data []byte) (*Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &SyntaxError{File: file, What: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if len(doc.Content) == 0 {
		return &Node{File: file, Line: 1, Kind: Table}, nil
	}
	r := &yamlReader{file: file}
	return r.value(doc.Content[0], "", 0)
}

type yamlReader struct {
	file   string
	values int
}

func (r *yamlReader) fault(y *yaml.Node, what string) error {
	return &SyntaxError{File: r.file, Line: y.Line, What: what}
}

func (r *yamlReader) value(y *yaml.Node, path string, depth int) (*Node, error) {
	// Aliases are followed, so the count also bounds what a few lines of them can grow to.
	if r.values++; r.values > maxValues || depth > maxDepth {
		return nil, r.fault(y, "the file holds too many values, or nests them too deeply")
	}
	n := &Node{File: r.file, Line: y.Line, Key: path}
	switch y.Kind {
	case yaml.AliasNode:
		return r.value(y.Alias, path, depth+1)
	case yaml.SequenceNode:
		n.Kind = List
		for i, item := range y.Content {
			kid, err := r.value(item, at(path, i), depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, kid)
		}
	case yaml.MappingNode:
		n.Kind = Table
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				return nil, r.fault(key, "keys have to be plain texts")
			}
			kid, err := r.value(y.Content[i+1], Below(path, key.Value), depth+1)
			if err != nil {
				return nil, err
			}
			kid.Line = key.Line
			if !n.add(key.Value, kid) {
				return nil, r.fault(key, "the key "+Below(path, key.Value)+" stands here twice")
			}
		}
	default:
		return n, r.scalar(y, n)
	}
	return n, nil
}

func (r *yamlReader) scalar(y *yaml.Node, n *Node) error {
	switch y.Tag {
	case "!!null":
		return nil
	case "!!bool":
		n.Kind = Bool
		n.Scalar = strings.EqualFold(y.Value, "true")
	case "!!int", "!!float":
		num, what := number(strings.TrimPrefix(y.Value, "+"))
		if what != "" {
			return r.fault(y, what+"; write it as JSON would")
		}
		n.Kind, n.Scalar = Number, num
	case "!!str", "!!timestamp":
		n.Kind, n.Scalar = String, y.Value
	default:
		return r.fault(y, "the tag "+y.Tag+" is not read")
	}
	return nil
}
