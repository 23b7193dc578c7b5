package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// ParseSubmission reads what an agent submitted: one JSON value, nested 10,000 deep at most, numbers as they are written. Of a key that an object has twice,
// the last one counts, and what is no Unicode (bytes that are not UTF-8, half a surrogate pair) reads as U+FFFD.
func ParseSubmission(data []byte) (any, error) {
	dec := reader(data)
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not JSON: something follows the value")
	}
	return v, nil
}

// ParseTruth reads what an author wrote, as ParseSubmission does. A key that an object has twice, and what is no Unicode, is an error: nobody can tell what
// was meant.
func ParseTruth(data []byte) (any, error) {
	v, err := ParseSubmission(data)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8")
	}
	if half, ok := halfPair(data); ok {
		return nil, fmt.Errorf("%s is half a surrogate pair, and no letter", half)
	}
	if key, ok := twice(reader(data)); ok {
		return nil, fmt.Errorf("an object has the key %q twice", key)
	}
	return v, nil
}

func reader(data []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	return dec
}

// halfPair finds an escape that is half a surrogate pair, in a text that is JSON.
func halfPair(data []byte) (string, bool) {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++ // at what is escaped
		switch surrogate(data[i-1:]) {
		case 'l':
			return string(data[i-1 : i+5]), true
		case 'h':
			if surrogate(data[i+5:]) != 'l' {
				return string(data[i-1 : i+5]), true
			}
			i += 10 // at the end of the second one
		}
	}
	return "", false
}

// surrogate tells whether a text begins with the escape of a high or a low surrogate: 'h', 'l', or 0.
func surrogate(data []byte) byte {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' || data[2]|0x20 != 'd' {
		return 0
	}
	switch data[3] | 0x20 {
	case '8', '9', 'a', 'b':
		return 'h'
	case 'c', 'd', 'e', 'f':
		return 'l'
	}
	return 0
}

// twice finds a key that an object has twice. The text was read before, so that the only errors left are at its end.
func twice(dec *json.Decoder) (string, bool) {
	var seen []map[string]bool // of each open object; nil of a list
	isKey := false
	for {
		token, err := dec.Token()
		if err != nil {
			return "", false
		}
		top := len(seen) - 1
		switch token {
		case json.Delim('{'):
			seen, isKey = append(seen, map[string]bool{}), true
			continue
		case json.Delim('['):
			seen, isKey = append(seen, nil), false
			continue
		case json.Delim('}'), json.Delim(']'):
			seen, top = seen[:top], top-1
		default:
			if key, ok := token.(string); ok && isKey {
				if seen[top][key] {
					return key, true
				}
				seen[top][key], isKey = true, false
				continue
			}
		}
		isKey = top >= 0 && seen[top] != nil
	}
}
