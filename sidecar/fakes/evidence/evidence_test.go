package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

type rows = map[string]map[string]any

func state(invoices, mails rows) evidence.State {
	return evidence.State{"billing": {"invoice": invoices}, "mail": {"message": mails}}
}

func manifest() evidence.Manifest {
	return evidence.Manifest{Version: evidence.Version, Scenario: "s", Servers: map[string]evidence.Server{"billing": {}, "mail": {}}}
}

// written makes evidence with these calls and this last state.
func written(t *testing.T, m evidence.Manifest, final evidence.State, calls ...evidence.CallLine) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fakes")
	w, err := evidence.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	must(t, w.Begin(m, state(rows{"i1": {"amount": json.Number("5"), "note": "<a>"}, "i2": {"amount": json.Number("6")}}, rows{})))
	for i, c := range calls {
		c.Seq = int64(i + 1)
		data, err := json.Marshal(c)
		must(t, err)
		_, err = w.Calls().Write(append(data, '\n'))
		must(t, err)
	}
	must(t, w.Step("one", state(rows{}, rows{})))
	must(t, w.Finish(final))
	must(t, w.Finish(final))
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *evidence.Evidence {
	t.Helper()
	e, err := evidence.Open(dir)
	must(t, err)
	return e
}

func unchanged() evidence.State {
	return state(rows{"i1": {"amount": json.Number("5"), "note": "<a>"}, "i2": {"amount": json.Number("6")}}, rows{})
}

func TestStateUnchanged(t *testing.T) {
	changed := state(rows{"i1": {"amount": json.Number("7"), "note": "<a>"}, "i3": {}}, rows{"m1": {"to": "x"}})
	tests := map[string]struct {
		final   evidence.State
		servers []string
		pass    bool
		reason  string
	}{
		"the same state passes":                     {unchanged(), nil, true, "the state of billing, mail is unchanged"},
		"a change, an addition and a removal fail":  {changed, []string{"billing"}, false, "the state of billing has changed: invoice i1 of billing was changed; invoice i2 of billing was removed; invoice i3 of billing was added"},
		"an outbound effect fails":                  {changed, []string{"mail"}, false, "the state of mail has changed: message m1 of mail was added"},
		"a change of another server does not count": {state(unchanged()["billing"]["invoice"], rows{"m1": {}}), []string{"billing"}, true, "the state of billing is unchanged"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := open(t, written(t, manifest(), tt.final)).StateUnchanged(tt.servers...)
			must(t, err)
			if got.Pass != tt.pass || got.Reason != tt.reason {
				t.Errorf("got %v %q, want %v %q", got.Pass, got.Reason, tt.pass, tt.reason)
			}
		})
	}
}

func TestNoWriteAttempted(t *testing.T) {
	read := evidence.CallLine{Server: "billing", Tool: "get", Outcome: "ok"}
	denied := evidence.CallLine{Server: "billing", Tool: "refund", Outcome: "rejected", Write: true}
	unknown := evidence.CallLine{Server: "mail", Tool: "sendd", Outcome: "unmatched"}
	tests := map[string]struct {
		query  evidence.Query
		calls  []evidence.CallLine
		pass   bool
		reason string
	}{
		"no calls pass":                           {evidence.Query{}, nil, true, "no write was attempted on billing, mail"},
		"calls that read pass":                    {evidence.Query{}, []evidence.CallLine{read, unknown}, true, "no write was attempted on billing, mail"},
		"a rejected write was attempted":          {evidence.Query{}, []evidence.CallLine{read, denied}, false, "writes were attempted: call 2 was refund of billing (rejected)"},
		"a write elsewhere does not count":        {evidence.Query{Servers: []string{"mail"}}, []evidence.CallLine{denied}, true, "no write was attempted on mail"},
		"an unknown tool counts when it is named": {evidence.Query{Tools: []string{"sendd"}}, []evidence.CallLine{read, denied, unknown}, false, "calls were attempted: call 3 was sendd of mail (unmatched)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := open(t, written(t, manifest(), unchanged(), tt.calls...)).NoWriteAttempted(tt.query)
			must(t, err)
			if got.Pass != tt.pass || got.Reason != tt.reason {
				t.Errorf("got %v %q, want %v %q", got.Pass, got.Reason, tt.pass, tt.reason)
			}
		})
	}
}

func TestChecksAreErrors(t *testing.T) {
	t.Run("when the manifest names no servers", func(t *testing.T) {
		e := open(t, written(t, evidence.Manifest{Version: 1}, unchanged()))
		var none *evidence.NoServersError
		if _, err := e.StateUnchanged(); !errors.As(err, &none) {
			t.Errorf("StateUnchanged: got %v, want a NoServersError", err)
		}
		if _, err := e.NoWriteAttempted(evidence.Query{}); !errors.As(err, &none) {
			t.Errorf("NoWriteAttempted: got %v, want a NoServersError", err)
		}
	})
	t.Run("when a server is unknown", func(t *testing.T) {
		e := open(t, written(t, manifest(), unchanged()))
		var unknown *evidence.UnknownError
		if _, err := e.StateUnchanged("biling"); !errors.As(err, &unknown) {
			t.Errorf("StateUnchanged: got %v, want an UnknownError", err)
		}
		if _, err := e.NoWriteAttempted(evidence.Query{Servers: []string{"biling"}}); !errors.As(err, &unknown) {
			t.Errorf("NoWriteAttempted: got %v, want an UnknownError", err)
		}
		if _, err := e.Diff(evidence.Query{Servers: []string{"biling"}}); !errors.As(err, &unknown) {
			t.Errorf("Diff: got %v, want an UnknownError", err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	var missing *evidence.MissingError
	var mismatch *evidence.MismatchError
	var invalid *evidence.InvalidError
	tests := map[string]struct {
		spoil func(dir string) error
		want  any
	}{
		"no folder":                      {os.RemoveAll, &missing},
		"no done.json":                   {remove(evidence.DoneFile), &missing},
		"no calls":                       {remove(evidence.CallsFile), &missing},
		"no state of a step":             {remove("step-one.json"), &missing},
		"a changed state":                {put(evidence.FinalFile, "{}\n"), &mismatch},
		"a line more":                    {put(evidence.CallsFile, "{}\n"), &mismatch},
		"a done.json that is no JSON":    {put(evidence.DoneFile, "{"), &invalid},
		"a done.json of another version": {put(evidence.DoneFile, `{"version":2}`), &invalid},
		"a done.json without hashes":     {put(evidence.DoneFile, `{"version":1}`), &mismatch},
		"a link instead of a file": {func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "real")); err != nil {
				return err
			}
			return os.Symlink("real", filepath.Join(dir, "calls.jsonl"))
		}, &invalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := written(t, manifest(), unchanged())
			must(t, tt.spoil(dir))
			if _, err := evidence.Open(dir); !errors.As(err, tt.want) {
				t.Errorf("got %v (%T)", err, err)
			}
		})
	}
}

func remove(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func put(name, text string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
}

func TestCreateRefusesAFolderWithEvidence(t *testing.T) {
	dir := written(t, manifest(), unchanged())
	var exists *evidence.ExistsError
	if _, err := evidence.Create(dir); !errors.As(err, &exists) {
		t.Errorf("got %v, want an ExistsError", err)
	}
}

func TestStepRefusesNames(t *testing.T) {
	w, err := evidence.Create(t.TempDir())
	must(t, err)
	must(t, w.Step("one", evidence.State{}))
	for _, name := range []string{"", "one", "../x", "a/b", ".x", strings.Repeat("a", 129)} {
		var wrong *evidence.StepNameError
		if err := w.Step(name, evidence.State{}); !errors.As(err, &wrong) {
			t.Errorf("%q: got %v, want a StepNameError", name, err)
		}
	}
}

func TestDiffNamesFields(t *testing.T) {
	final := state(rows{"i1": {"amount": json.Number("7"), "paid": true}, "i2": {"amount": json.Number("6")}}, rows{})
	got, err := open(t, written(t, manifest(), final)).Diff(evidence.Query{})
	must(t, err)
	want := []evidence.Change{{
		Server: "billing", Entity: "invoice", ID: "i1", Kind: "changed",
		Before: map[string]any{"amount": json.Number("5"), "note": "<a>"}, After: map[string]any{"amount": json.Number("7"), "paid": true},
		Fields: []evidence.FieldChange{
			{Name: "amount", Before: json.Number("5"), After: json.Number("7")},
			{Name: "note", Before: "<a>"},
			{Name: "paid", After: true},
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsWrittenAfterTheEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fakes")
	w, err := evidence.Create(dir)
	must(t, err)
	must(t, w.Begin(manifest(), unchanged()))
	must(t, w.Finish(unchanged()))
	if _, err := w.Calls().Write([]byte("{}\n")); err == nil {
		t.Error("a line after the end was written")
	}
	open(t, dir)
}

func FuzzOpen(f *testing.F) {
	f.Add(`{"version":1,"steps":["one"],"files":{}}`, `{"servers":{"a":{}}}`, `{"a":{"b":{"c":{}}}}`, `{"seq":1}`)
	f.Fuzz(func(t *testing.T, done, manifest, state, calls string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"done.json": done, "manifest.json": manifest, "initial.json": state, "final.json": state, "calls.jsonl": calls} {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		e, err := evidence.Open(dir)
		if err != nil {
			// What Open refuses can still be read wrongly by those that skip it.
			e = &evidence.Evidence{Dir: dir}
			_ = json.Unmarshal([]byte(manifest), &e.Manifest)
		}
		_, _ = e.StateUnchanged()
		_, _ = e.NoWriteAttempted(evidence.Query{Tools: []string{"x"}})
		_ = fmt.Sprint(e.Done)
	})
}
