package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/html"
	"github.com/seatrial/seatrial/orchestrator/report/sample"
)

func run(t testing.TB, o sample.Options) (*orchestrator.RunRecord, string) {
	t.Helper()
	dir := t.TempDir()
	rec, err := sample.Write(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return rec, dir
}

func write(t testing.TB, in html.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// element is the JSON of the page's element with an id.
func element(t testing.TB, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="`+id+`">`)
	if !ok {
		t.Fatalf("there is no element %s", id)
	}
	text, _, _ := strings.Cut(rest, "</script>")
	if !json.Valid([]byte(text)) {
		t.Fatalf("%s is not JSON", id)
	}
	return text
}

func TestData(t *testing.T) {
	rec, dir := run(t, sample.Options{Cases: 3, Trials: 2})
	then, _ := run(t, sample.Options{Cases: 4, Trials: 2, Seed: 3})
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(element(t, write(t, html.Input{Run: rec, Folder: dir, Against: then, PassBar: 1}), "data")), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "data.json"), b.String()+"\n")
}

func TestTheSameRunGivesTheSamePage(t *testing.T) {
	rec, dir := run(t, sample.Options{Cases: 30})
	again, there := run(t, sample.Options{Cases: 30})
	if write(t, html.Input{Run: rec, Folder: dir, PassBar: 1}) != write(t, html.Input{Run: again, Folder: there, PassBar: 1}) {
		t.Error("two pages of equal runs differ")
	}
}

func TestThePolicyNamesTheStyleAndTheScriptOfThePage(t *testing.T) {
	page := write(t, html.Input{Run: &orchestrator.RunRecord{}})
	if !strings.Contains(page, strings.NewReplacer("+", "&#43;", "'", "&#39;").Replace(html.Policy())) {
		t.Error("the policy is not in the page")
	}
	for _, name := range []string{"style", "script"} {
		all := regexp.MustCompile(`(?s)<`+name+`>(.*?)</`+name+`>`).FindAllStringSubmatch(page, -1)
		if len(all) != 1 {
			t.Fatalf("%d elements %s", len(all), name)
		}
		sum := sha256.Sum256([]byte(all[0][1]))
		if want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(html.Policy(), want) {
			t.Errorf("the policy is %s, want %s in it", html.Policy(), want)
		}
	}
	if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
		t.Error("the page names an address")
	}
}

func TestThePageStaysNearItsBudget(t *testing.T) {
	rec, dir := run(t, sample.Options{Cases: 300})
	for _, budget := range []int64{1, 100_000, 400_000, 2 << 20, html.DefaultBudget} {
		page := write(t, html.Input{Run: rec, Folder: dir, PassBar: 1, Budget: budget})
		const frame, least = 64 << 10, 400 << 10 // the bare table of 300 cases takes some room whatever the budget
		if int64(len(page)) > max(budget, least)+frame {
			t.Errorf("%d bytes for a budget of %d", len(page), budget)
		}
		if cut := strings.Contains(page, `id="logs-cut"`); cut != (budget < 4<<20) {
			t.Errorf("budget %d: logs are left out: %v", budget, cut)
		}
	}
}

func TestLogsAreReadFromRegularFilesOfTheFolderOnly(t *testing.T) {
	rec, dir := run(t, sample.Options{Cases: 1})
	c := &rec.Cases[0]
	c.Status, c.Error, c.Score = "incomplete", &orchestrator.Fault{Code: "internal"}, nil
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("top secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	trial := filepath.Join(dir, filepath.FromSlash(c.Artifacts.Trial))
	out := filepath.Join(trial, "agent", "stdout.log")
	if err := errors.Join(os.Remove(out), os.Symlink(secret, out), os.WriteFile(filepath.Join(trial, "verifier", "test-stdout.txt"), []byte("\x1b[31mred\xff"+strings.Repeat("界", 20_000)+"end"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{c.Artifacts.Trial, "../" + filepath.Base(dir) + "/" + c.Artifacts.Trial, "/etc", filepath.Dir(secret)} {
		c.Artifacts.Trial = folder
		page := write(t, html.Input{Run: rec, Folder: dir, PassBar: 1})
		if strings.Contains(page, "top secret") {
			t.Error("a link was followed")
		}
		log := element(t, page, "log-0")
		if got := strings.Contains(log, `"head":"red`) && strings.Contains(log, `end"`) && strings.Contains(log, `"cut":`); got != strings.HasPrefix(folder, "trials/") {
			t.Errorf("folder %s: the log is there: %v: %.300s", folder, got, log)
		}
	}
}

func TestTimesComeFromTheRecordsWhereThereAreNoEvents(t *testing.T) {
	rec, dir := run(t, sample.Options{Cases: 50})
	for _, c := range []struct {
		name   string
		change func() error
		want   bool
	}{
		{"events", func() error { return nil }, true},
		{"events that are cut and strange", func() error {
			return os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte("{\"kind\":\"phase_started\"}\nnull\n"+strings.Repeat("x", 3<<20)+"\n{\"kind\":\"trial_"), 0o644)
		}, true},
		{"no events", func() error { return os.Remove(filepath.Join(dir, "events.jsonl")) }, true},
		{"nothing", func() error { return os.RemoveAll(filepath.Join(dir, "trials")) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			var d struct {
				Timeline *struct {
					Lanes int
					Total float64
					Bars  []struct {
						Lane       int
						Start, End float64
						Parts      [][3]float64
					}
				}
			}
			if err := json.Unmarshal([]byte(element(t, write(t, html.Input{Run: rec, Folder: dir, PassBar: 1}), "data")), &d); err != nil {
				t.Fatal(err)
			}
			if (d.Timeline != nil) != c.want {
				t.Fatalf("there is a timeline: %v", d.Timeline != nil)
			}
			if d.Timeline == nil {
				return
			}
			if d.Timeline.Lanes != 8 || len(d.Timeline.Bars) != 50 || d.Timeline.Total <= 0 {
				t.Errorf("%d lanes, %d bars, %v s", d.Timeline.Lanes, len(d.Timeline.Bars), d.Timeline.Total)
			}
			end := map[int]float64{}
			for _, b := range d.Timeline.Bars {
				if b.Start < end[b.Lane] || len(b.Parts) != 6 || b.Parts[5][2] > b.End+0.01 {
					t.Errorf("%+v begins before %v", b, end[b.Lane])
				}
				end[b.Lane] = b.End
			}
		})
	}
}

func FuzzThePageHoldsNoMarkupOfARecord(f *testing.F) {
	f.Add("</script><script>", "<!--<script>\xff", 0.5)
	f.Add("\u2028{{.}}", "]]>\x00", math.MaxFloat64)
	f.Fuzz(func(t *testing.T, a, b string, score float64) {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			score = 0
		}
		rec := &orchestrator.RunRecord{RunID: a, Status: b, Leaks: []string{a}, Cases: []orchestrator.Case{{ID: a, Status: "complete", Score: &score, Tags: []string{b}, Timing: orchestrator.Timing{Total: score}},
			{ID: a, Status: b, Error: &orchestrator.Fault{Code: a, Message: b, Value: map[string]any{a: b}, Lines: []string{a, b}}, Tries: []orchestrator.Try{{Code: a}}, Steps: []orchestrator.StepResult{{Name: b}}}}}
		var out bytes.Buffer
		if err := html.Write(&out, html.Input{Run: rec, Against: rec, PassBar: score}); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		data := element(t, page, "data")
		if strings.ContainsAny(data, "<>&\u2028\u2029") || strings.Count(page, "<script") != 2 || strings.Count(page, "</script>") != 2 {
			t.Errorf("markup of a record in the page: %s", data)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	rec, dir := run(b, sample.Options{Cases: 2000})
	for b.Loop() {
		if err := html.Write(io.Discard, html.Input{Run: rec, Folder: dir, PassBar: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
