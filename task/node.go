package task

import (
	"strconv"
	"strings"
)

type kind int

const (
	isTable kind = iota
	isArray
	isString
	isInteger
	isFloat
	isBool
	isTime
)

func (k kind) String() string {
	switch k {
	case isTable:
		return "a table"
	case isArray:
		return "an array"
	case isString:
		return "a string"
	case isInteger:
		return "a whole number"
	case isFloat:
		return "a number"
	case isBool:
		return "a boolean"
	default:
		return "a date or time"
	}
}

// node is one value of the document with the place it was written at.
type node struct {
	name  string
	index int // in the array above, or -1
	up    *node
	kind  kind
	key   Position // where the key stands; for an array's item, where the item stands
	at    Position // where the value stands
	raw   string   // as written, for scalars
	text  string   // a string's value, or the literal

	kids   []*node
	byName map[string]*node

	opened bool // by a header of its own
	closed bool // an inline table or array: nothing may be added
}

func (n *node) kid(name string) *node { return n.byName[name] }

func (n *node) add(kid *node) *node {
	kid.up = n
	n.kids = append(n.kids, kid)
	if n.kind == isTable {
		if n.byName == nil {
			n.byName = map[string]*node{}
		}
		kid.index = -1
		n.byName[kid.name] = kid
		return kid
	}
	kid.index = len(n.kids) - 1
	return kid
}

// path returns the dotted path of n; names that are not bare keys are quoted, long ones shortened.
func (n *node) path() string {
	if n.up == nil {
		return ""
	}
	if n.index >= 0 {
		return n.up.path() + "[" + strconv.Itoa(n.index) + "]"
	}
	name := n.name
	if !bareKey(name) {
		name = strconv.Quote(name)
	}
	return join(n.up.path(), clip(name))
}

func join(table, name string) string {
	if table == "" {
		return name
	}
	return table + "." + name
}

func bareKey(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
