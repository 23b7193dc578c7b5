package check_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/check"
)

func found() []check.Task {
	return []check.Task{{Dir: "a b", Invalid: true, Findings: []check.Finding{
		{Code: "config_invalid", Severity: check.Error, Task: "a b", File: "a b/task.toml", Line: 3, Column: 2, Key: "agent.timeout_sec", Message: "= 0: must be above 0", Remedy: "Correct it."},
		{Code: "config_invalid", Severity: check.Error, Task: "a b", File: "a b/\x1b[2J", Message: "not\nhere", Remedy: "Correct it."},
	}}, {Dir: "/else/c:d", Findings: []check.Finding{
		{Code: "hidden_exit", Severity: check.Warning, Task: "/else/c:d", File: "/work/c:d/100%/tests/ü.sh", Line: 1, Message: "m", Remedy: "r"},
		{Code: "of_a_later_day", Severity: check.Note, Task: "/else/c:d", File: "/else/x", Message: "m", Remedy: "r"},
	}}, {Dir: "fine"}}
}

func TestTextTellsWhatToDoOnceForEachCode(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	check.WriteText(&out, &errs, found(), nil, false)
	const wantOut = "a b: 2 errors, 0 warnings, 0 notes\n/else/c:d: ok\nfine: ok\n"
	const wantErrs = `a b/task.toml:3:2: agent.timeout_sec = 0: must be above 0 [config_invalid]
  Correct it.
"a b/\x1b[2J": not\nhere [config_invalid]
warning: /work/c:d/100%/tests/ü.sh:1: m [hidden_exit]
  r
note: /else/x: m [of_a_later_day]
3 tasks: 2 errors, 1 warning, 1 note
`
	if out.String() != wantOut || errs.String() != wantErrs {
		t.Errorf("got\n%s\n%s", &out, &errs)
	}
}

func TestSARIFHasRulesLevelsAndPlaces(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := check.WriteSARIF(&b, check.Findings(found(), nil), "/work", "1.0"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	want := []string{"a%20b/task.toml", "a%20b/%1B%5B2J", "c%3Ad/100%25/tests/%C3%BC.sh", "file:///else/x"}
	for i, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		if at.ArtifactLocation.URI != want[i] || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || (at.Region != nil) != (check.Findings(found(), nil)[i].Line > 0) {
			t.Errorf("result %d: %+v", i, r)
		}
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.Scheme != "" && u.Scheme != "file" {
			t.Errorf("%q: %v", at.ArtifactLocation.URI, err)
		}
	}
	if log.Version != "2.1.0" || len(run.Results) != 4 || run.Results[3].Level != "note" || len(run.Tool.Driver.Rules) != len(check.Kinds())+1 {
		t.Errorf("%+v", log)
	}
}

func TestJSONIsWholeWithoutFindings(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := check.WriteJSON(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"version": 1`, `"tasks": []`, `"findings": []`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s is missing in %s", part, &b)
		}
	}
}
