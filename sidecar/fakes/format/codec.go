package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Format names how a server writes its answers.
type Format string

// The formats.
const (
	JSON         Format = "json"
	PrefixedJSON Format = "prefixed_json" // a fixed text, then JSON
	TOON         Format = "toon"          // Token-Oriented Object Notation, version 3
	Text         Format = "text"          // the answer is a string and stands as it is
)

// Formats lists the formats.
func Formats() []Format { return []Format{JSON, PrefixedJSON, TOON, Text} }

// Codec encodes and decodes one format.
type Codec struct {
	Format Format
	// Prefix stands before prefixed JSON.
	Prefix string
	// Indent is the number of blanks per level of JSON; 0 puts all on one line.
	Indent int
	// Order says how members of objects are ordered.
	Order Order
}

// Encode gives the text of v. The error is an *EncodeError: text carries strings alone.
func (c Codec) Encode(v any) (string, error) {
	switch c.Format {
	case JSON:
		return c.json(v), nil
	case PrefixedJSON:
		return c.Prefix + c.json(v), nil
	case TOON:
		return encodeTOON(v, c.Order), nil
	case Text:
		if s, ok := v.(string); ok {
			return s, nil
		}
		return "", &EncodeError{Format: Text, What: fmt.Sprintf("the answer has to be a string and is %s", kindOf(v))}
	}
	return "", &EncodeError{Format: c.Format, What: "there is no such format"}
}

// Decode reads what Encode wrote. The error is a *DecodeError.
func (c Codec) Decode(text string) (any, error) {
	switch c.Format {
	case JSON:
		return Parse([]byte(text))
	case PrefixedJSON:
		rest, ok := strings.CutPrefix(text, c.Prefix)
		if !ok {
			return nil, &DecodeError{Format: PrefixedJSON, What: fmt.Sprintf("the prefix %q is missing", c.Prefix)}
		}
		return Parse([]byte(rest))
	case TOON:
		return decodeTOON(text)
	case Text:
		return text, nil
	}
	return nil, &DecodeError{Format: c.Format, What: "there is no such format"}
}

func (c Codec) json(v any) string {
	b := appendJSON(nil, v, c.Order)
	if c.Indent <= 0 {
		return string(b)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", strings.Repeat(" ", c.Indent)); err != nil {
		return string(b)
	}
	return out.String()
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
