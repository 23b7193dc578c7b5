package orchestrator

import (
	"bytes"
	"encoding/json"
)

// recordHead is what a record says of itself.
type recordHead struct {
	Format        string `json:"format"`
	SchemaVersion int    `json:"schema_version"`
}

// headOf reads the head of a record. Our own records begin with it, so that a large one need not be read twice; any other is read to its end.
func headOf(data []byte) (recordHead, error) {
	var h recordHead
	d := json.NewDecoder(bytes.NewReader(data[:min(len(data), 256)]))
	if t, err := d.Token(); err == nil && t == json.Delim('{') {
		if begins(d, "format", &h.Format) && begins(d, "schema_version", &h.SchemaVersion) {
			return h, nil
		}
	}
	h = recordHead{}
	return h, json.Unmarshal(data, &h) //nolint:wrapcheck // it is about the text alone
}

// begins says that a key comes next, and reads its value.
func begins(d *json.Decoder, key string, into any) bool {
	t, err := d.Token()
	return err == nil && t == key && d.Decode(into) == nil
}
