package stack

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// parse reads data as one YAML document and gives its root node, nil for an empty one.
func parse(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // an empty file is a valid overlay
	} else if err != nil {
		return nil, fmt.Errorf("reading the document: %w", err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, fmt.Errorf("reading what follows the document: %w", err)
		}
		return nil, errDocuments
	}
	if len(doc.Content) == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	return doc.Content[0], nil
}

var errDocuments = errors.New("holds more than one YAML document; keep one")
