package format

import (
	"fmt"
	"strings"
)

// decodeTOON reads a TOON document in strict mode. An empty document is an empty object.
func decodeTOON(text string) (any, error) {
	r := &toonReader{}
	if err := r.scan(text); err != nil {
		return nil, err
	}
	v, err := r.root()
	if err != nil {
		return nil, err
	}
	if r.at < len(r.lines) {
		return nil, r.fault("this line belongs to nothing above it")
	}
	return v, nil
}

type toonLine struct {
	number, depth int
	text          string
	afterBlank    bool
}

type toonReader struct {
	lines []toonLine
	at    int
}

func (r *toonReader) scan(text string) error {
	blank := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		body := strings.TrimLeft(line, " ")
		if strings.Trim(body, " ") == "" {
			blank = true
			continue
		}
		fault := func(what string) error { return &DecodeError{Format: TOON, Line: i + 1, What: what} }
		blanks := len(line) - len(body)
		switch {
		case body[0] == '\t':
			return fault("tabs are not allowed in the indentation")
		case blanks%2 != 0:
			return fault("the indentation has to be a multiple of 2 blanks")
		case blanks/2 > 2*MaxDepth+2:
			return &DepthError{}
		}
		r.lines = append(r.lines, toonLine{number: i + 1, depth: blanks / 2, text: strings.TrimRight(body, " "), afterBlank: blank})
		blank = false
	}
	return nil
}

func (r *toonReader) fault(what string) error {
	line := 0
	if r.at < len(r.lines) {
		line = r.lines[r.at].number
	} else if len(r.lines) > 0 {
		line = r.lines[len(r.lines)-1].number
	}
	return &DecodeError{Format: TOON, Line: line, What: what}
}

// peek gives the next line when it is at depth.
func (r *toonReader) peek(depth int) (toonLine, bool) {
	if r.at < len(r.lines) && r.lines[r.at].depth == depth {
		return r.lines[r.at], true
	}
	return toonLine{}, false
}

func (r *toonReader) root() (any, error) {
	if len(r.lines) == 0 {
		return map[string]any{}, nil
	}
	first, ok := r.peek(0)
	if !ok {
		return nil, r.fault("the first line is indented")
	}
	h, ok := readHead(first.text)
	switch {
	case ok && h.problem != "" && len(r.lines) > 1:
		return nil, r.fault(h.problem)
	case ok && h.problem == "" && h.array && !h.hasKey:
		r.at++
		return r.array(h, 1)
	case ok && h.problem == "":
		return r.object(map[string]any{}, 0)
	case len(r.lines) > 1:
		return nil, r.fault("a colon is missing after the key")
	}
	return r.scalar(first.text)
}

func (r *toonReader) scalar(s string) (any, error) {
	v, what := readScalar(s)
	if what != "" {
		return nil, r.fault(what)
	}
	r.at++
	return v, nil
}

// object reads the members at depth into object.
func (r *toonReader) object(object map[string]any, depth int) (any, error) {
	for {
		line, ok := r.peek(depth)
		if !ok {
			return object, nil
		}
		h, ok := readHead(line.text)
		if !ok {
			return nil, r.fault("a colon is missing after the key")
		}
		if err := r.member(object, h, depth+1); err != nil {
			return nil, err
		}
	}
}

// member reads the value of the head h, with the lines of it at depth below.
func (r *toonReader) member(object map[string]any, h head, below int) error {
	if h.problem == "" && !h.hasKey {
		h.problem = "a key is missing"
	}
	if h.problem == "" && below > 2*MaxDepth {
		return &DepthError{}
	}
	if _, twice := object[h.key]; twice && h.problem == "" {
		h.problem = fmt.Sprintf("the key %q stands here twice", clip(h.key))
	}
	if h.problem != "" {
		return r.fault(h.problem)
	}
	v, err := r.value(h, below)
	if err != nil {
		return err
	}
	object[h.key] = v
	return nil
}

func (r *toonReader) value(h head, below int) (any, error) {
	switch {
	case h.array:
		r.at++
		return r.array(h, below)
	case h.rest != "":
		return r.scalar(h.rest)
	}
	r.at++
	return r.object(map[string]any{}, below)
}
