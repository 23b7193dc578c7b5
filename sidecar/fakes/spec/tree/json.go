package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

func parseJSON(file string, data []byte) (*Node, error) {
	r := &jsonReader{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.dec.UseNumber()
	n, err := r.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fault("something follows the JSON value")
	}
	return n, nil
}

type jsonReader struct {
	file   string
	data   []byte
	dec    *json.Decoder
	line   int
	offset int
	values int
}

// here gives the line up to which the decoder has read.
func (r *jsonReader) here() int {
	to := min(int(r.dec.InputOffset()), len(r.data))
	r.line += bytes.Count(r.data[r.offset:to], []byte("\n"))
	r.offset = to
	return r.line
}

func (r *jsonReader) fault(what string) error {
	return &SyntaxError{File: r.file, Line: r.here(), What: what}
}

func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(r.data[:min(int(syntax.Offset), len(r.data))], []byte("\n"))
		return nil, &SyntaxError{File: r.file, Line: line, What: "not JSON: " + syntax.Error()}
	}
	return nil, r.fault("not JSON: the file ends too early")
}

func (r *jsonReader) value(path string, depth int) (*Node, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > maxValues || depth > maxDepth {
		return nil, r.fault("the file holds too many values, or nests them too deeply")
	}
	n := &Node{File: r.file, Line: r.here(), Key: path}
	switch t := t.(type) {
	case bool:
		n.Kind, n.Scalar = Bool, t
	case string:
		n.Kind, n.Scalar = String, t
	case json.Number:
		num, what := number(string(t))
		if what != "" {
			return nil, r.fault(what)
		}
		n.Kind, n.Scalar = Number, num
	case json.Delim:
		if t == '[' {
			return n, r.list(n, depth)
		}
		return n, r.table(n, depth)
	}
	return n, nil
}

func (r *jsonReader) list(n *Node, depth int) error {
	n.Kind = List
	for r.dec.More() {
		kid, err := r.value(at(n.Key, len(n.Items)), depth+1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, kid)
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) table(n *Node, depth int) error {
	n.Kind = Table
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		line := r.here()
		kid, err := r.value(Below(n.Key, name), depth+1)
		if err != nil {
			return err
		}
		kid.Line = line
		if !n.add(name, kid) {
			return r.fault("the member " + Below(n.Key, name) + " stands here twice")
		}
	}
	_, err := r.token()
	return err
}
