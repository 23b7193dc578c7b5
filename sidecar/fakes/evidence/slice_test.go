package evidence_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

// playing is the folder of fakes in their third step: there is no done.json, and the last line is being written.
func playing(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	amount := func(n string) string { return `{"billing": {"invoice": {"i1": {"amount": ` + n + `}}}, "mail": {}}` }
	for name, text := range map[string]string{
		evidence.ManifestFile: `{"version": 1, "scenario": "s", "servers": {"billing": {}, "mail": {}}}`,
		evidence.InitialFile:  amount("1"), "step-one.json": amount("2"), "step-two.json": amount("3"),
		evidence.CallsFile: `{"seq":1,"step":1,"tool":"a"}
{"seq":2,"step":2,"tool":"b"}
{"seq":3,"step":2,"tool":"c"}
{"seq":4,"step":3,"tool":"d"}
{"seq":5,"st`,
		evidence.OutboundFile: `{"seq":1,"id":"m1"}
{"seq":3,"id":"m2"}
{"seq":4,"id":"m3"}
`,
		evidence.ViolationsFile: `{"seq":2,"kind":"program"}
`,
		evidence.RefusedFile: "",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestSliceOfAStep(t *testing.T) {
	from := playing(t)
	for _, c := range []struct {
		name            string
		n               int
		before, step    string
		initial, final  string
		tools           []string
		mails, breaches int64
	}{
		{"the first begins where the world began", 1, "", "one", "1", "2", []string{"a"}, 1, 0},
		{"another begins where the one before ended", 2, "one", "two", "2", "3", []string{"b", "c"}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "fakes")
			must(t, evidence.Slice(from, to, c.n, c.before, c.step))
			e := open(t, to)
			var tools []string
			must(t, e.Calls(evidence.Query{}, func(l evidence.CallLine) error { tools = append(tools, l.Tool); return nil }))
			if d := cmp.Diff(c.tools, tools); d != "" || e.Done.Outbound != c.mails || e.Done.Violations != c.breaches {
				t.Errorf("done %+v, calls:\n%s", e.Done, d)
			}
			for want, get := range map[string]func() (evidence.State, error){c.initial: e.Initial, c.final: e.Final} {
				s, err := get()
				if err != nil || s["billing"]["invoice"]["i1"]["amount"] != json.Number(want) {
					t.Errorf("state %v (%v), want amount %s", s, err, want)
				}
			}
		})
	}
	t.Run("a step without a snapshot has none", func(t *testing.T) {
		if err := evidence.Slice(from, filepath.Join(t.TempDir(), "fakes"), 3, "two", "three"); !errors.As(err, new(*evidence.MissingError)) {
			t.Errorf("%v", err)
		}
	})
	t.Run("a broken line in the middle is no evidence", func(t *testing.T) {
		from := playing(t)
		must(t, os.WriteFile(filepath.Join(from, evidence.CallsFile), []byte("{\n{}\n"), 0o600))
		if err := evidence.Slice(from, filepath.Join(t.TempDir(), "fakes"), 1, "", "one"); !errors.As(err, new(*evidence.InvalidError)) {
			t.Errorf("%v", err)
		}
	})
}
