package orchestrator_test

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/orchestrator/stats"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestTrialRecords(t *testing.T) {
	details := `{"style": {"score": 0.5, "kind": "llm", "judge": "m-1", "criteria": [{"name": "short", "value": 0.5, "reasoning": "long-winded"},
		{"name": "kind", "value": 0, "optional": true, "error": "the judge timed out"}]}}`
	full := func(ctx context.Context, p *process) (*shim.Report, error) {
		p.printf("hello\n")
		if err := wait(ctx, 1500*time.Millisecond); err != nil {
			return nil, err
		}
		return &shim.Report{Exit: 2, LeftoverCount: 1, Leftovers: []shim.Process{{PID: 9, Name: "sleep"}}, OOMKills: -1, UserSec: 0.5, SysSec: 0.25, MaxRSSKB: 2048,
			Stdout: shim.StreamReport{Bytes: 6}}, nil
	}
	for _, c := range []struct {
		name, task string
		scene      scene
	}{
		{"complete", "plain", scene{agent: full, tests: acts(takes(time.Second), writes("/logs/verifier/reward-details.json", details),
			reward(`{"reward": 0.75, "style": 0.5}`))}},
		{"reward-missing", "beside", scene{agent: reward(`{"reward": 1}`), tests: acts(prints("no such file\n"), writes("/logs/verifier/debug.log", "x"), exits(1))}},
		{"build-failed", "secretive", scene{image: func(context.Context, orchestrator.Source, io.Writer) error { return errGone }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, c.scene)
				golden.Compare(t, filepath.Join("testdata", "golden", "trial-"+c.name+".json"), stable(t, h.play(t.Context(), t, planOf(t, c.task))))
			})
		})
	}
}

func TestEncode(t *testing.T) {
	got, err := orchestrator.Encode(map[string]any{"b": "<a&b>", "a": []int{}})
	want := "{\n  \"a\": [],\n  \"b\": \"<a&b>\"\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// properties lists the names of a schema's objects, by the path of $defs or properties to them.
func properties(t *testing.T, file string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if props, ok := m["properties"].(map[string]any); ok && m["additionalProperties"] == false {
			out[path] = slices.Sorted(maps.Keys(props))
			for name, p := range props {
				walk(path+"."+name, p)
			}
		}
		if items, ok := m["items"]; ok {
			walk(path+"[]", items)
		}
		if defs, ok := m["$defs"].(map[string]any); ok {
			for name, d := range defs {
				walk("#"+name, d)
			}
		}
	}
	walk("", doc)
	return out
}

// fields lists the JSON names of a struct.
func fields(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, fields(f.Type)...)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "-" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestTheSchemasNameEveryField(t *testing.T) {
	run, trial := properties(t, "../docs/run.schema.json"), properties(t, "../docs/trial.schema.json")
	caseType, _ := reflect.TypeFor[orchestrator.Case]().FieldByName("Scores")
	score := caseType.Type.Elem()
	criteria, _ := score.FieldByName("Criteria")
	for _, c := range []struct {
		schema map[string][]string
		path   string
		typ    reflect.Type
	}{
		{run, "", reflect.TypeFor[orchestrator.RunRecord]()},
		{run, ".runner", reflect.TypeFor[orchestrator.RunnerName]()},
		{run, ".candidate", reflect.TypeFor[orchestrator.Candidate]()},
		{run, ".spec", reflect.TypeFor[orchestrator.RunSpec]()},
		{run, ".spec.selection", reflect.TypeFor[selection.Selection]()},
		{run, ".environment", reflect.TypeFor[orchestrator.Environment]()},
		{run, ".summary", reflect.TypeFor[orchestrator.Summary]()},
		{run, "#metrics", reflect.TypeFor[orchestrator.Metrics]()},
		{run, "#metrics.score", reflect.TypeFor[orchestrator.ScoreMetrics]()},
		{run, "#metrics.pass", reflect.TypeFor[orchestrator.PassMetrics]()},
		{run, "#metrics.pass.by_k[]", reflect.TypeFor[orchestrator.PassAtK]()},
		{run, "#metrics.dimensions[]", reflect.TypeFor[orchestrator.DimensionMetrics]()},
		{run, "#metrics.tags[]", reflect.TypeFor[orchestrator.TagMetrics]()},
		{run, "#metrics.phases[]", reflect.TypeFor[orchestrator.PhaseMetrics]()},
		{run, "#metrics.usage", reflect.TypeFor[orchestrator.UsageMetrics]()},
		{run, "#metrics.slowest[]", reflect.TypeFor[orchestrator.SlowCase]()},
		{run, "#metrics.flakiest[]", reflect.TypeFor[orchestrator.FlakyCase]()},
		{run, ".reproduces", reflect.TypeFor[orchestrator.Reproduction]()},
		{run, ".reproduces.was", reflect.TypeFor[orchestrator.Outcome]()},
		{run, ".reproduces.differences[]", reflect.TypeFor[lockfile.Difference]()},
		{run, "#interval", reflect.TypeFor[stats.Interval]()},
		{run, "#tool", reflect.TypeFor[orchestrator.Tool]()},
		{run, "#case", reflect.TypeFor[orchestrator.Case]()},
		{run, "#case.task", reflect.TypeFor[orchestrator.TaskRef]()},
		{run, "#case.task.source", reflect.TypeFor[orchestrator.TaskSource]()},
		{run, "#case.result", reflect.TypeFor[orchestrator.Result]()},
		{run, "#case.result.tokens", reflect.TypeFor[orchestrator.Tokens]()},
		{run, "#case.timing", reflect.TypeFor[orchestrator.Timing]()},
		{run, "#case.artifacts", reflect.TypeFor[orchestrator.Artifacts]()},
		{run, "#step", reflect.TypeFor[orchestrator.StepResult]()},
		{run, "#step.artifacts", reflect.TypeFor[orchestrator.StepArtifacts]()},
		{run, "#fault", reflect.TypeFor[orchestrator.Fault]()},
		{run, "#warning", reflect.TypeFor[orchestrator.Warning]()},
		{run, "#score", score},
		{run, "#criterion", criteria.Type.Elem()},
		{trial, "", reflect.TypeFor[orchestrator.TrialRecord]()},
		{trial, ".steps[]", reflect.TypeFor[orchestrator.StepTrial]()},
		{trial, ".limits[]", reflect.TypeFor[orchestrator.LimitRecord]()},
		{trial, ".collected", reflect.TypeFor[orchestrator.Collected]()},
		{trial, "#exec.pressure", reflect.TypeFor[shim.Pressure]()},
		{trial, "#exec", reflect.TypeFor[orchestrator.Exec]()},
		{trial, "#stream", reflect.TypeFor[orchestrator.Stream]()},
	} {
		if diff := cmp.Diff(c.schema[c.path], fields(c.typ)); diff != "" {
			t.Errorf("%s at %q (-schema +code):\n%s", c.typ, c.path, diff)
		}
	}
}

// constants are the string constants of a file whose names begin with a prefix.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

func TestTheSchemaAndThePageNameEveryCode(t *testing.T) {
	codes := slices.Sorted(slices.Values(append(constants(t, "record.go", "Code"), constants(t, "../verifier/verdict.go", "Code")...)))
	if len(codes) < 15 {
		t.Fatalf("only %d codes found: %q", len(codes), codes)
	}
	data, err := os.ReadFile("../docs/run.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Code struct {
				Enum []string `json:"enum"`
			} `json:"code"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(codes, slices.Sorted(slices.Values(schema.Defs.Code.Enum))); diff != "" {
		t.Errorf("the schema's codes (-code +schema):\n%s", diff)
	}
	page, err := os.ReadFile("../docs/run-json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		if !strings.Contains(string(page), "\n| `"+code+"` |") {
			t.Errorf("docs/run-json.md has no row for code %s", code)
		}
	}
}

func TestThePageNamesEveryFieldAndWarning(t *testing.T) {
	data, err := os.ReadFile("../docs/run-json.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, file := range []string{"../docs/run.schema.json", "../docs/trial.schema.json"} {
		for path, names := range properties(t, file) {
			for _, name := range names {
				if !strings.Contains(page, "`"+name+"`") {
					t.Errorf("%s: %s.%s is not on the page", file, path, name)
				}
			}
		}
	}
	warned := regexp.MustCompile(`(?:\bwarn|\.add)\((?:p, )?"([a-z_]*[a-z])"`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := constants(t, "../verifier/warnings.go", "Warn")
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range warned.FindAllStringSubmatch(string(src), -1) {
			found = append(found, m[1])
		}
	}
	if len(found) < 25 {
		t.Errorf("only %d warnings found: %q", len(found), found)
	}
	for _, code := range found {
		if !strings.Contains(page, "`"+code+"`") {
			t.Errorf("warning %s is not on the page", code)
		}
	}
}
