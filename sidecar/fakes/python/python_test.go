package python_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/reward"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// question is what both sides are asked.
type question struct {
	Ask     string   `json:"ask"`
	Dir     string   `json:"dir"`
	Servers []string `json:"servers"`
	Tools   []string `json:"tools"`
	Format  string   `json:"format"`
	Prefix  string   `json:"prefix"`
	Text    string   `json:"text"`
	Pass    bool     `json:"pass"`
}

// python asks the module all questions in one process.
func python(t *testing.T, questions []question) []string {
	t.Helper()
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	var in bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), exe, "-B", filepath.Join("testdata", "say.py"), ".")
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, &errs)
	}
	var answers []string
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		answers = append(answers, s.Text())
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions\n%s", len(answers), len(questions), &errs)
	}
	return answers
}

// played leaves evidence of a few calls.
func played(t *testing.T, calls ...world.Call) string {
	t.Helper()
	f, err := spec.Load(filepath.Join("..", "server", "testdata", "fakes"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(f, "open", 7, time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	e, err := evidence.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Record(world.Journal{Calls: e.Calls(), Outbound: e.Outbound(), Violations: e.Violations(), Refused: e.Refused()})
	if err := e.Begin(w.Manifest(), w.Snapshot()); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		w.Do(t.Context(), c)
	}
	if err := e.Step("one", w.Step("one")); err != nil {
		t.Fatal(err)
	}
	if err := e.Finish(w.Freeze()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mcp(tool, args string) world.Call {
	return world.Call{Server: "shop", Tool: tool, Arguments: []byte(args), Protocol: "mcp/2025-11-25"}
}

func TestPythonSaysTheSameAsGo(t *testing.T) {
	quiet := played(t, mcp("get_item", `{"id":"item_1"}`))
	busy := played(t, mcp("create_item", `{"name":"rice","price":1e2}`), mcp("update_item", `{"id":"item_1","price":4}`), mcp("delete_item", `{"id":"item_2"}`),
		mcp("update_item", `{"id":"item_9","price":4}`), mcp("create_item", `{}`), mcp("sell_item", `{}`), mcp("send_note", `{"to":"a","text":"b"}`),
		world.Call{Server: "shoe", Tool: "buy", Protocol: "mcp/2025-11-25", Unmatched: true}, mcp("send_note", `[1]`))
	unfinished, changed := played(t), played(t, mcp("get_item", `{"id":"item_1"}`))
	if err := os.Remove(filepath.Join(unfinished, evidence.DoneFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(changed, evidence.CallsFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var questions []question
	for _, dir := range []string{quiet, busy, unfinished, changed, filepath.Join(quiet, "nowhere")} {
		for _, servers := range [][]string{nil, {"shop"}, {"shoe"}} {
			for _, ask := range []string{"unchanged", "diff"} {
				questions = append(questions, question{Ask: ask, Dir: dir, Servers: servers})
			}
			for _, tools := range [][]string{nil, {"sell_item"}, {"get_item"}, {"buy"}} {
				for _, ask := range []string{"no-write", "calls"} {
					questions = append(questions, question{Ask: ask, Dir: dir, Servers: servers, Tools: tools})
				}
			}
		}
	}
	answers := python(t, questions)
	for i, q := range questions {
		q.Dir = filepath.Base(filepath.Dir(q.Dir))
		if want := inGo(t, questions[i]); want != answers[i] {
			t.Errorf("%+v\nGo says     %s\nPython says %s", q, want, answers[i])
		}
	}
}

// inGo answers as testdata/say.py does.
func inGo(t *testing.T, q question) string {
	t.Helper()
	var answer any
	e, err := evidence.Open(q.Dir)
	if err == nil {
		query := evidence.Query{Servers: q.Servers, Tools: q.Tools}
		switch q.Ask {
		case "unchanged", "no-write":
			var r evidence.Result
			if r, err = e.NoWriteAttempted(query); q.Ask == "unchanged" {
				r, err = e.StateUnchanged(q.Servers...)
			}
			answer = map[string]any{"pass": r.Pass, "reason": r.Reason}
		case "diff":
			var changes []evidence.Change
			changes, err = e.Diff(query)
			list := []string{}
			for _, c := range changes {
				list = append(list, strings.Join([]string{c.Kind, c.Server, c.Entity, c.ID}, " "))
			}
			answer = map[string]any{"changes": list}
		default:
			seqs := []int64{}
			err = e.Calls(query, func(c evidence.CallLine) error { seqs = append(seqs, c.Seq); return nil })
			answer = map[string]any{"calls": seqs}
		}
	}
	if err != nil {
		answer = map[string]any{"error": "EvidenceError"}
	}
	out, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return spaced(out)
}

// spaced writes JSON with blanks as Python does.
func spaced(data []byte) string {
	var b strings.Builder
	quoted := false
	for i, c := range data {
		if c == '"' && (i == 0 || data[i-1] != '\\') {
			quoted = !quoted
		}
		b.WriteByte(c)
		if !quoted && (c == ':' || c == ',') {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func TestPythonDecodesWhatGoEncodes(t *testing.T) {
	var questions []question
	var values []any
	for _, text := range []string{
		`{}`, `[]`, `null`, `true`, `"x"`, `""`, `-1.5`, `[1,"a",null,true]`, `{"a":{"b":{"c":[]}}}`, `[[1,2],[3]]`, `{"n":"12","t":"true","e":" x ","c":"a:b","q":"\"","l":"a\nb"}`,
		`{"items":[{"id":"a","n":1},{"id":"b,c","n":2.5}]}`, `[{"a":1},{"b":[{"c":1,"d":[1]}]},[],{}]`, `{"a b":{"x.y":1},"":2}`, `[{"k":[{"x":1},{"x":2}],"z":{"y":1}}]`, `{"u":"é ü 漢"}`,
	} {
		v, err := format.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, codec := range []format.Codec{{Format: format.JSON, Indent: 2}, {Format: format.PrefixedJSON, Prefix: "OK: "}, {Format: format.TOON}} {
			encoded, err := codec.Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			questions = append(questions, question{Ask: "decode", Text: encoded, Format: string(codec.Format), Prefix: codec.Prefix})
			values = append(values, v)
		}
	}
	broken := []question{{Text: "{", Format: "json"}, {Text: "{}", Format: "prefixed_json", Prefix: "OK"}, {Text: "a[2]: 1", Format: "toon"}, {Text: "a: \"x", Format: "toon"},
		{Text: " a: 1", Format: "toon"}, {Text: "a: 1\na: 2", Format: "toon"}, {Text: "x", Format: "xml"}, {Text: "a[1]{x,y}:\n  1", Format: "toon"}}
	for i := range broken {
		broken[i].Ask = "decode"
	}
	answers := python(t, append(questions, broken...))
	for i, q := range questions {
		got, err := format.Parse([]byte(answers[i]))
		if err != nil {
			t.Fatal(err)
		}
		if !format.Equal(map[string]any{"value": values[i]}, got) {
			t.Errorf("%s %q: Python reads %s", q.Format, q.Text, answers[i])
		}
	}
	for i, q := range broken {
		if got := answers[len(questions)+i]; got != `{"error": "DecodeError"}` {
			t.Errorf("%s %q: Python reads %s", q.Format, q.Text, got)
		}
	}
}

func TestPythonWritesRewardsAsGoDoes(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	var questions []question
	for _, pass := range []bool{true, false} {
		questions = append(questions, question{Ask: "reward", Dir: dirs[0], Pass: pass})
		if err := reward.Add(dirs[1], reward.Dimension{Name: "safe", Criterion: "a check", Pass: pass, Reasoning: "because"}); err != nil {
			t.Fatal(err)
		}
	}
	python(t, questions)
	for _, name := range []string{reward.RewardsName, reward.DetailsName} {
		var got [2]any
		for i, dir := range dirs {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &got[i]); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", data, err))
			}
		}
		if d := cmp.Diff(got[1], got[0]); d != "" {
			t.Errorf("%s (-Go +Python):\n%s", name, d)
		}
	}
}
