package world_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// play writes the evidence of a fixed run and gives its files.
func play(t *testing.T, dir string) map[string]string {
	t.Helper()
	w, _ := start(t, load(t), "faulty")
	out, err := evidence.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Record(world.Journal{Calls: out.Calls(), Outbound: out.Outbound(), Violations: out.Violations(), Refused: out.Refused()})
	if err := out.Begin(w.Manifest(), w.Snapshot()); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		do(t, w, fmt.Sprintf(`billing create_invoice {"customer":"c%d","amount":%d,"z":1,"y":2,"x":3,"w":4}`, i, i))
		do(t, w, `billing refund {"invoice":"inv_1","amount":1}`)
		do(t, w, `billing void_invoice {"id":"inv_2"}`)
		do(t, w, `billing get_invoice {"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`)
		do(t, w, `billing list_invoices`)
		do(t, w, fmt.Sprintf(`mail send {"to":"t%d","subject":"s","b":{"y":1,"x":[1,2]}}`, i))
		do(t, w, `mail search`)
		do(t, w, `tracker opn_issue {}`)
	}
	if err := out.Step("one", w.Step("one")); err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(w.Freeze()); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(data)
	}
	return files
}

func TestTheSameCallsGiveTheSameBytes(t *testing.T) {
	first := play(t, filepath.Join(t.TempDir(), "a"))
	want := []string{"calls.jsonl", "done.json", "final.json", "initial.json", "manifest.json", "outbound.jsonl", "refused.jsonl", "step-one.json", "violations.jsonl"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(first))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for i := range 5 {
		if diff := cmp.Diff(first, play(t, filepath.Join(t.TempDir(), fmt.Sprint(i)))); diff != "" {
			t.Fatalf("run %d differs (-first +this):\n%s", i, diff)
		}
	}
}

func TestParallelCallsAreCarriedOutOneAfterAnother(t *testing.T) {
	w, r := start(t, load(t), "plain")
	const clients, each = 50, 40
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				if a := do(t, w, `billing refund {"invoice":"inv_3","amount":1,"notify":false}`); a.Outcome != world.OutcomeOK {
					t.Errorf("%s %s", a.Outcome, a.Text)
				}
			}
		})
	}
	wg.Wait()
	row := w.Snapshot()["billing"]["invoice"]["inv_3"]
	if row["refunded"] != json.Number(fmt.Sprint(clients*each)) {
		t.Errorf("refunded is %v, want %d", row["refunded"], clients*each)
	}
	next := int64(1)
	for line := range bytes.Lines(r.calls.Bytes()) {
		var c evidence.CallLine
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Seq != next {
			t.Fatalf("call %d follows %d", c.Seq, next-1)
		}
		next++
	}
	if next != clients*each+1 {
		t.Errorf("%d calls are in the journal", next-1)
	}
}

func TestASnapshotStaysAsItWas(t *testing.T) {
	w, _ := start(t, load(t), "plain")
	before := w.Snapshot()
	text := fmt.Sprint(before)
	do(t, w, `billing refund {"invoice":"inv_3","amount":1}`)
	do(t, w, `billing delete_invoice {"id":"inv_1"}`)
	if got := fmt.Sprint(before); got != text {
		t.Errorf("it was %s and is %s", text, got)
	}
}

func TestTenThousandCallsAreQuick(t *testing.T) {
	w, _ := start(t, load(t), "plain")
	w.Record(world.Journal{Calls: io.Discard, Outbound: io.Discard, Violations: io.Discard})
	var took []time.Duration
	for i := range 10_000 {
		line := fmt.Sprintf(`tracker open_issue {"title":"t%d"}`, i%500)
		if i%2 == 0 {
			line = `tracker get_issue {"number":7}`
		}
		began := time.Now()
		do(t, w, line)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("p50 %v, p99 %v", took[len(took)/2], p99)
	// Wide of the promise, for machines that do other things.
	if p99 > 5*time.Millisecond {
		t.Errorf("p99 is %v", p99)
	}
}

func BenchmarkGet(b *testing.B) {
	w, _ := start(b, load(b), "plain")
	w.Record(world.Journal{Calls: io.Discard})
	for b.Loop() {
		do(b, w, `billing get_invoice {"id":"inv_1"}`)
	}
}

func BenchmarkRefund(b *testing.B) {
	w, _ := start(b, load(b), "plain")
	w.Record(world.Journal{Calls: io.Discard})
	for b.Loop() {
		do(b, w, `billing refund {"invoice":"inv_3","amount":1,"notify":false}`)
	}
}
