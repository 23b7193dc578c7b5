package why_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/why"
)

// FuzzDiagnose reads records of any content: whatever they hold, there is a verdict with its proof, in words that a terminal may be shown.
func FuzzDiagnose(f *testing.F) {
	files, err := filepath.Glob("../testdata/golden/trial-*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no records to begin with: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte(`{}`), []byte(`{}`), []byte("x\nno space left on device\n"))
	}
	f.Add([]byte(`{"format":"seatrial-trial","schema_version":1,"case":{"status":"complete","score":1e308,"error":{},"scores":[{"value":-1e308,"criteria":[{"value":1e-308}]}]},
		"agent":{"seconds":-1e308,"limit_fired":"?","oom_kills":-9223372036854775808,"pressure":{"cpu_periods":-1,"cpu_throttled_periods":9223372036854775807,"load_before":1e308,"load_after":1e308}},
		"steps":[{"name":"../.."},{}],"fakes":{},"clock_gap_seconds":-1e308}`), []byte(`{"format":"seatrial-run","schema_version":1,"cases":[{"trials":[{}]}],"reproduces":{}}`),
		[]byte(`{"services":[{"name":"main"}],"machine":{"cpus":-1},"batch":{"beside_count":-5}}`), []byte{0xff, '\n', 0})
	f.Fuzz(func(t *testing.T, trial, run, lock, log []byte) {
		rec, err := orchestrator.DecodeTrial(trial)
		if err != nil {
			return
		}
		e := &why.Evidence{Trial: rec, Logs: []why.Log{{File: "agent/stdout.log", Lines: []why.Line{{1, string(log)}}}}}
		e.Run, _ = orchestrator.DecodeRun(run)
		var l lockfile.Lock
		if json.Unmarshal(lock, &l) == nil {
			e.Lock, e.BesideCount = &l, l.Batch.BesideCount
		}
		d := why.Of("x", e)
		kindsOf(t, d.Findings)
		for _, x := range d.Findings {
			if x.Sentence == "" || len(x.Proof) == 0 {
				t.Errorf("without a sentence or a proof: %+v", x)
			}
		}
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
		var b strings.Builder
		if err := d.WriteText(io.MultiWriter(io.Discard, &b)); err != nil || !utf8.ValidString(b.String()) || strings.ContainsAny(b.String(), "\x1b\x00\r") {
			t.Errorf("%v: %q", err, b.String())
		}
	})
}
