// Package format turns JSON values into the texts that servers answer with, and back: plain JSON, JSON behind a prefix, TOON and
// text. For every value that Parse gives, decoding what was encoded gives the value again.
//
// A value is nil, bool, json.Number, string, []any or map[string]any. Values are never changed once they are made, so
// that they may be shared.
package format
