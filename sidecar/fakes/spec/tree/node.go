// Package tree reads TOML, YAML and JSON into one form that knows the line of everything.
package tree

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// Kind is what a node is.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Table
)

// String gives the kind as messages name it.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "a table"}[k]
}

// Node is one value of a document and the place it was written at.
type Node struct {
	File string
	// Line starts at 1. It is the line of the key for members of tables.
	Line int
	// Key is the dotted path of the value, such as "tools.refund.steps[1].op"; empty at the top.
	Key  string
	Kind Kind
	// Scalar is a bool, json.Number or string; nil for the other kinds.
	Scalar any
	// Items are the elements of a list.
	Items []*Node
	// Names are the members of a table as written, each once.
	Names   []string
	members map[string]*Node
}

// Member gives the member of a table, or nil.
func (n *Node) Member(name string) *Node { return n.members[name] }

// Value gives the node as a value of package format.
func (n *Node) Value() any {
	switch n.Kind {
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Value()
		}
		return list
	case Table:
		object := make(map[string]any, len(n.Names))
		for _, name := range n.Names {
			object[name] = n.members[name].Value()
		}
		return object
	case Null, Bool, Number, String:
	}
	return n.Scalar
}

func (n *Node) add(name string, kid *Node) bool {
	if n.members == nil {
		n.members = map[string]*Node{}
	}
	if _, twice := n.members[name]; twice {
		return false
	}
	n.members[name] = kid
	n.Names = append(n.Names, name)
	return true
}

// Below gives the path of a member of a table at path.
func Below(path, name string) string {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		name = strconv.Quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// SyntaxError is a file that is not in its language, or that passes a bound of this package.
type SyntaxError struct {
	File string
	Line int // 0 when unknown
	What string
}

// Error names the place and what is wrong there.
func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
	}
	return e.File + ": " + e.What
}

// Bounds of one document.
const (
	maxDepth  = format.MaxDepth
	maxValues = 2_000_000
)

// Parse reads a document in the language that the name of the file ends in: .toml, .yaml, .yml or .json. The error is a
// *SyntaxError.
func Parse(file string, data []byte) (*Node, error) {
	switch {
	case strings.HasSuffix(file, ".toml"):
		return parseTOML(file, data)
	case strings.HasSuffix(file, ".yaml"), strings.HasSuffix(file, ".yml"):
		return parseYAML(file, data)
	case strings.HasSuffix(file, ".json"):
		return parseJSON(file, data)
	}
	return nil, &SyntaxError{File: file, What: "the name has to end in .toml, .yaml, .yml or .json"}
}

func number(text string) (json.Number, string) {
	n, err := format.Number(text)
	if err != nil {
		return "", err.Error()
	}
	return n, ""
}
