package check

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// The parts of SARIF 2.1.0 that are written, by the names that the standard gives them.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"` //nolint:tagliatelle // the standard's name
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"` //nolint:tagliatelle // the standard's name
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"` //nolint:tagliatelle // the standard's name
		Help    sarifMessage `json:"help"`
		Default sarifDefault `json:"defaultConfiguration"` //nolint:tagliatelle // the standard's name
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`    //nolint:tagliatelle // the standard's name
		RuleIndex int             `json:"ruleIndex"` //nolint:tagliatelle // the standard's name
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"` //nolint:tagliatelle // the standard's name
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"` //nolint:tagliatelle // the standard's name
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`             //nolint:tagliatelle // the standard's name
		StartColumn int `json:"startColumn,omitempty"` //nolint:tagliatelle // the standard's name
	}
)

// WriteSARIF writes findings in the form that code hosts read. Files are told relative to the folder dir where they are below it, or were given so.
func WriteSARIF(w io.Writer, found []Finding, dir, version string) error {
	driver := sarifDriver{Name: "seatrial", Version: version, InformationURI: "https://github.com/seatrial/seatrial/blob/main/docs/checks.md", Rules: []sarifRule{}}
	index := map[string]int{}
	rule := func(k Kind) {
		index[k.Code] = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{ID: k.Code, Short: sarifMessage{k.Title + "."}, Help: sarifMessage{k.Remedy}, Default: sarifDefault{string(k.Severity)}})
	}
	for _, k := range Kinds() {
		rule(k)
	}
	results := []sarifResult{}
	for i := range found {
		f := &found[i]
		if _, ok := index[f.Code]; !ok {
			rule(Kind{Code: f.Code, Severity: f.Severity, Title: f.Code, Remedy: f.Remedy})
		}
		text := f.Message
		if f.Key != "" {
			text = f.Key + ": " + text
			if strings.HasPrefix(f.Message, "= ") {
				text = f.Key + " " + f.Message
			}
		}
		r := sarifResult{RuleID: f.Code, RuleIndex: index[f.Code], Level: string(f.Severity), Message: sarifMessage{text + "\n" + f.Remedy},
			Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{uri(f.File, dir)}}}}}
		if f.Line > 0 {
			r.Locations[0].Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
		}
		results = append(results, r)
	}
	return write(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results}}})
}

// uri is the address of a file: relative to dir where that is possible.
func uri(file, dir string) string {
	scheme := ""
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		} else {
			scheme = "file://"
		}
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(file)), "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A") // a colon in the first part would look like a scheme
	}
	return scheme + strings.Join(parts, "/")
}
