package base

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Release is what an archive says about one suite.
type Release struct {
	Codename string
	Version  string               // as 12.11; empty for suites without one
	Date     string               // when the archive wrote it, in its own words
	Files    map[string]Checksums // by path below the suite's folder
	Verified bool                 // whether a known key signed it
}

// Checksums is what a release promises about one of its files.
type Checksums struct {
	SHA256 string // lower case hex
	Size   int64  // bytes
}

// ParseRelease reads the text of a Release file. It fails with *FormatError;
// lines of its list that are not understood are faults, not gaps.
func ParseRelease(text []byte) (*Release, error) {
	for p, err := range Paragraphs(bytes.NewReader(text)) {
		if err != nil {
			return nil, err
		}
		r := &Release{Codename: p["Codename"], Version: p["Version"], Date: p["Date"], Files: map[string]Checksums{}}
		for line := range strings.SplitSeq(strings.TrimSpace(p["SHA256"]), "\n") {
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			if len(f) != 3 {
				return nil, &FormatError{File: "Release", Reason: fmt.Sprintf("%.120q is no checksum line", line)}
			}
			sum, err := hex.DecodeString(f[0])
			size, sizeErr := strconv.ParseInt(f[1], 10, 64)
			if err != nil || len(sum) != 32 || sizeErr != nil || size < 0 {
				return nil, &FormatError{File: "Release", Reason: fmt.Sprintf("%.120q is no checksum line", line)}
			}
			r.Files[f[2]] = Checksums{SHA256: hex.EncodeToString(sum), Size: size}
		}
		return r, nil
	}
	return nil, &FormatError{File: "Release", Reason: "it is empty"}
}
