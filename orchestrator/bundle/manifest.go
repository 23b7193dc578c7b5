// Package bundle puts all that is needed to reproduce one recorded trial into one file, and takes such a file apart, whoever made it. See docs/bundle.md.
package bundle

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
)

// Format names a bundle's manifest, and SchemaVersion what its fields mean.
const (
	Format        = "seatrial-bundle"
	SchemaVersion = 1
)

// The places in a bundle, a tar archive that is compressed with zstd. The manifest is its first entry.
const (
	manifestName = "bundle.json"
	runFolder    = "run"
	imagesName   = "images.tar"
)

// Manifest says what a bundle holds.
type Manifest struct {
	Format        string        `json:"format"`
	SchemaVersion int           `json:"schema_version"`
	Tool          lockfile.Tool `json:"tool"`
	RunID         string        `json:"run_id"`
	Trial         string        `json:"trial"` // the name of its folder
	Case          string        `json:"case"`
	// Images are the ids of the images in it.
	Images []string `json:"images"`
	// Links are the symbolic links of the task's and the agent's files, by their places in the bundle.
	Links map[string]string `json:"links"`
	// LeftOut says what of the trial is not in it, and why.
	LeftOut []string `json:"left_out"`
	// Unchecked names the variables whose values could not be looked for, since they are not known here.
	Unchecked []string `json:"unchecked"`
}

// maxManifest bounds a manifest, in bytes.
const maxManifest = 16 << 20

// decode reads a manifest.
func decode(data []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("its manifest is cut, or does not fit its schema: %w", err)
	}
	switch {
	case m.Format != Format:
		return nil, fmt.Errorf("it is not a bundle of ours (format %q)", m.Format)
	case m.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("it is of schema version %d, and this seatrial knows up to %d: upgrade seatrial", m.SchemaVersion, SchemaVersion)
	case m.SchemaVersion < 1:
		return nil, fmt.Errorf("it is of schema version %d, which never was", m.SchemaVersion)
	case !plain(m.Trial):
		return nil, fmt.Errorf("its trial is called %q, which no folder can be", m.Trial)
	}
	return &m, nil
}

// Error says what is wrong with a bundle.
type Error struct {
	Path  string
	Cause error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("bundle %s: %v", e.Path, e.Cause) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

var errNoManifest = errors.New("it does not begin with a manifest: it is no bundle, or cut")
