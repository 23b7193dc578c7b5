package verifier

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kind is the kind of a JSON value.
type kind int

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindNotFinite // NaN, Infinity or -Infinity, which are not JSON but which Python writes
	kindString
	kindArray
	kindObject
)

// node is a JSON value as it was written: numbers are not converted and repeated keys are kept.
type node struct {
	kind    kind
	raw     string
	text    string // a string's content
	items   []node
	members []member
}

type member struct {
	name  string
	value node
}

// The bounds of one JSON text: no stack or memory is exhausted by a small file.
const (
	maxDepth = 100
	maxNodes = 300_000
)

// parser reads JSON (RFC 8259) with the three literals above. A decoder of the standard library stops at these without
// a word on the key, and does not tell of repeated keys.
type parser struct {
	in    string
	pos   int
	nodes int
}

// syntaxError says where a text is not JSON.
type syntaxError struct {
	line, column int // from 1; columns count bytes
	problem      string
}

// Error gives place and problem.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.line, e.column, e.problem)
}

// parse reads one JSON text, which must be valid UTF-8.
func parse(in string) (node, error) {
	p := parser{in: in}
	n, err := p.value(0)
	if err != nil {
		return node{}, err
	}
	if p.space(); p.pos < len(p.in) {
		return node{}, p.fail("more text after the end of the value")
	}
	return n, nil
}

func (p *parser) fail(format string, args ...any) error {
	before := p.in[:p.pos]
	return &syntaxError{
		line:    strings.Count(before, "\n") + 1,
		column:  p.pos - strings.LastIndexByte(before, '\n'),
		problem: fmt.Sprintf(format, args...),
	}
}

func (p *parser) space() {
	for p.pos < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.pos]) >= 0 {
		p.pos++
	}
}

// next skips blanks and gives the byte that follows, 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.pos == len(p.in) {
		return 0
	}
	return p.in[p.pos]
}

func (p *parser) value(depth int) (node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return node{}, p.fail("more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return node{}, p.fail("nested more than %d levels deep", maxDepth)
	}
	var n node
	var err error
	c := p.next()
	start := p.pos
	switch c {
	case '{':
		n, err = p.object(depth)
	case '[':
		n, err = p.array(depth)
	case '"':
		n.kind = kindString
		n.text, err = p.str()
	default:
		n.kind, err = p.scalar(c)
	}
	n.raw = p.in[start:p.pos]
	return n, err
}

func (p *parser) object(depth int) (node, error) {
	n := node{kind: kindObject}
	p.pos++
	if p.next() == '}' {
		p.pos++
		return n, nil
	}
	for {
		if p.next() != '"' {
			return n, p.unexpected("a key in double quotes")
		}
		name, err := p.str()
		if err != nil {
			return n, err
		}
		if p.next() != ':' {
			return n, p.unexpected("a colon")
		}
		p.pos++
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.members = append(n.members, member{name, v})
		if done, err := p.more('}'); done || err != nil {
			return n, err
		}
	}
}

func (p *parser) array(depth int) (node, error) {
	n := node{kind: kindArray}
	p.pos++
	if p.next() == ']' {
		p.pos++
		return n, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, v)
		if done, err := p.more(']'); done || err != nil {
			return n, err
		}
	}
}

// more passes a comma, or the closing bracket and is done.
func (p *parser) more(closing byte) (done bool, err error) {
	switch c := p.next(); c {
	case ',', closing:
		p.pos++
		return c == closing, nil
	default:
		return false, p.unexpected(fmt.Sprintf("a comma or %q", closing))
	}
}

func (p *parser) unexpected(wanted string) error {
	if p.pos == len(p.in) {
		return p.fail("the text ends where %s should follow; it may have been cut off", wanted)
	}
	return p.fail("%q where %s should follow", []rune(p.in[p.pos:min(len(p.in), p.pos+4)])[0], wanted)
}

func (p *parser) scalar(c byte) (kind, error) {
	for _, lit := range []struct {
		text string
		kind kind
	}{
		{"null", kindNull}, {"true", kindBool}, {"false", kindBool},
		{"NaN", kindNotFinite}, {"Infinity", kindNotFinite}, {"-Infinity", kindNotFinite},
	} {
		if strings.HasPrefix(p.in[p.pos:], lit.text) {
			p.pos += len(lit.text)
			return lit.kind, nil
		}
	}
	if c != '-' && (c < '0' || c > '9') {
		return 0, p.unexpected("a value")
	}
	start := p.pos
	for p.pos < len(p.in) && strings.IndexByte("0123456789+-.eE", p.in[p.pos]) >= 0 {
		p.pos++
	}
	if !json.Valid([]byte(p.in[start:p.pos])) {
		p.pos = start
		return 0, p.fail("a number that is not written as JSON numbers are")
	}
	return kindNumber, nil
}

func (p *parser) str() (string, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.in); p.pos++ {
		switch c := p.in[p.pos]; {
		case c == '\\':
			p.pos++
		case c == '"':
			p.pos++
			var s string
			if err := json.Unmarshal([]byte(p.in[start:p.pos]), &s); err != nil {
				p.pos = start
				return "", p.fail("a text with a wrong escape in it")
			}
			return s, nil
		case c < 0x20:
			return "", p.fail("a control character within a text")
		}
	}
	p.pos = len(p.in)
	return "", p.fail("the text ends within a string; it may have been cut off")
}
