package world_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

func FuzzCall(f *testing.F) {
	f.Add("billing", "refund", []byte(`{"invoice":"inv_3","amount":5}`), "http", false)
	f.Add("billing", "list_invoices", []byte(`{"limit":-1,"cursor":"YWZ0ZXI6Mg"}`), "mcp/2025-11-25", false)
	f.Add("tracker", "open_issue", []byte(`{"title":"\u0000"}`), "mcp/2026-07-28", true)
	f.Add("mail", "send", []byte(`{"to":"- a: [x]","subject":{"a":[1,{"b":null}]}}`), "mcp/2025-03-26", false)
	f.Add("x", "", []byte(`[[`), "", false)
	fakes := load(f)
	f.Fuzz(func(t *testing.T, server, tool string, args []byte, protocol string, unmatched bool) {
		w, r := start(t, fakes, "plain")
		before := w.Snapshot()
		a := w.Do(t.Context(), world.Call{Server: server, Tool: tool, Arguments: args, Protocol: protocol, Unmatched: unmatched})
		after := w.Snapshot()
		if a.Outcome != world.OutcomeOK {
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("a call that came out %s changed the state:\n%s", a.Outcome, diff)
			}
		}
		// Some tools break their contract on purpose; those of the lab do so on many arguments.
		if a.Outcome == world.OutcomeViolation && tool != "broken" && tool != "void_invoice" && server != "lab" {
			t.Errorf("violation: %s", r.violations.String())
		}
		var line evidence.CallLine
		if err := json.Unmarshal(r.calls.Bytes(), &line); err != nil {
			t.Fatalf("%v in %q", err, r.calls.String())
		}
		if line.Outcome != string(a.Outcome) {
			t.Errorf("the journal says %s and the answer %s", line.Outcome, a.Outcome)
		}
		for _, c := range evidence.Compare(before, after, []string{"billing", "lab", "mail", "tracker"}) {
			if !line.Write {
				t.Errorf("a call that is no write changed %v", c)
			}
		}
	})
}
