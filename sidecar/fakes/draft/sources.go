package draft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seatrial/seatrial/sidecar/fakes/client"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// OpenAPI begins a fake from an OpenAPI file, JSON or YAML. Errors are *ContractError and *ExistsError.
func OpenAPI(file string, o Options) (Draft, error) {
	data, err := read(file)
	if err != nil {
		return Draft{}, &ContractError{file, err}
	}
	var doc struct {
		Info struct {
			Title   string `yaml:"title"`
			Version string `yaml:"version"`
		} `yaml:"info"`
	}
	if err := yaml.Unmarshal(data, &doc); err != nil { // YAML holds JSON
		return Draft{}, &ContractError{file, err}
	}
	c := contract{from: file, name: doc.Info.Title, title: doc.Info.Title, version: doc.Info.Version, protocol: spec.HTTP, key: "openapi", file: "openapi.yaml", data: data}
	if json.Valid(data) {
		c.file = "openapi.json"
	}
	return write(c, o)
}

// MCP begins a fake from a live server's tools, or from a file that holds the answer to tools/list. Errors are
// *ContractError, *ExistsError and *client.UnreachableError.
func MCP(ctx context.Context, from string, o Options) (Draft, error) {
	c := contract{from: from, protocol: spec.MCP, key: "tools", file: "tools.json"}
	if !strings.Contains(from, "://") {
		data, err := read(from)
		if err == nil && !json.Valid(data) {
			err = errors.New("it is no JSON")
		}
		if err != nil {
			return Draft{}, &ContractError{from, err}
		}
		c.name, c.data = strings.TrimSuffix(filepath.Base(from), filepath.Ext(from)), data
		return write(c, o)
	}
	l, err := client.List(ctx, from, o.Header)
	if err != nil {
		return Draft{}, err
	}
	c.name, c.title, c.version, c.instructions = l.Name, l.Title, l.Version, l.Instructions
	var b bytes.Buffer
	if err := json.Indent(&b, append(append([]byte(`{"tools":`), l.Tools...), '}'), "", "  "); err != nil {
		return Draft{}, &ContractError{from, err}
	}
	c.data = append(b.Bytes(), '\n')
	return write(c, o)
}

func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxContract+1))
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	if len(data) > maxContract {
		return nil, fmt.Errorf("it is larger than %d MiB", maxContract>>20)
	}
	return data, nil
}
