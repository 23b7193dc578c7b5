package world_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

func last(t *testing.T, r *records) evidence.CallLine {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(r.calls.String()), "\n")
	var c evidence.CallLine
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestArgumentsThatAreNone(t *testing.T) {
	for name, args := range map[string]string{
		"no JSON":             `{"to":`,
		"no object":           `[1]`,
		"two values":          `{} {}`,
		"larger than allowed": `{"to":"` + strings.Repeat("x", 2<<20) + `"}`,
		"nested too deeply":   strings.Repeat(`{"to":`, 300) + `1` + strings.Repeat(`}`, 300),
	} {
		t.Run(name, func(t *testing.T) {
			w, r := start(t, load(t), "plain")
			a := w.Do(t.Context(), world.Call{Server: "mail", Tool: "send", Arguments: json.RawMessage(args), Protocol: "mcp/2025-11-25"})
			c := last(t, r)
			if a.Outcome != world.OutcomeRejected || c.Outcome != "rejected" || !c.Write {
				t.Errorf("the answer is %s, the journal has %s and write %v; want a rejected write", a.Outcome, c.Outcome, c.Write)
			}
			if len(r.calls.Bytes()) > 8<<10 {
				t.Errorf("the line has %d bytes", r.calls.Len())
			}
		})
	}
}

func TestALongAnswerIsCutInTheJournalAlone(t *testing.T) {
	w, r := start(t, load(t), "plain")
	a := do(t, w, `mail send {"to":"`+strings.Repeat("x", 100<<10)+`"}`)
	c := last(t, r)
	if !c.AnswerCut || len(c.Answer) >= len(a.Text) || !strings.HasPrefix(a.Text, c.Answer) {
		t.Errorf("of %d bytes %d are kept, cut is %v", len(a.Text), len(c.Answer), c.AnswerCut)
	}
}

func TestAStepBelongsToTheCallsBeforeItsEnd(t *testing.T) {
	w, r := start(t, load(t), "plain")
	do(t, w, `mail search`)
	if got := last(t, r).Step; got != 1 {
		t.Errorf("the first call is in step %d", got)
	}
	w.Step("one")
	do(t, w, `mail search`)
	if got := last(t, r).Step; got != 2 {
		t.Errorf("the call after the step is in step %d", got)
	}
}

func TestAFrozenWorldChangesNoMore(t *testing.T) {
	w, r := start(t, load(t), "plain")
	before := fmt.Sprint(w.Freeze())
	calls := r.calls.Len()
	a := do(t, w, `billing refund {"invoice":"inv_3","amount":1}`)
	if a.Outcome != world.OutcomeFrozen || a.Code == 0 {
		t.Errorf("got %s, code %d", a.Outcome, a.Code)
	}
	if a := do(t, w, `BILLING get_invoice {"id":"inv_3"}`); a.Status != 503 {
		t.Errorf("over HTTP the status is %d", a.Status)
	}
	if r.calls.Len() != calls || strings.Count(r.refused.String(), "\n") != 2 {
		t.Errorf("calls: %s refused: %s", r.calls.String(), r.refused.String())
	}
	if got := fmt.Sprint(w.Freeze()); got != before {
		t.Errorf("the state was %s and is %s", before, got)
	}
	if s := w.Status(); !s.Frozen || s.Refused != 2 || s.Calls != 0 {
		t.Errorf("status %+v", s)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAJournalThatCannotBeWrittenIsAnError(t *testing.T) {
	w, _ := start(t, load(t), "plain")
	w.Record(world.Journal{Calls: full{}})
	if a := do(t, w, `mail search`); a.Outcome != world.OutcomeOK {
		t.Errorf("the call came out %s", a.Outcome)
	}
	if w.Err() == nil {
		t.Error("no error")
	}
}

func TestNewRefusesWhatCheckDoes(t *testing.T) {
	var problems spec.Problems
	if _, err := world.New(load(t), "plian", 1, time.Time{}); !errors.As(err, &problems) || problems[0].Near != "plain" {
		t.Errorf("got %v", err)
	}
}

func TestAnotherSeedGivesOtherIDs(t *testing.T) {
	ids := map[string]bool{}
	for seed := range int64(3) {
		w, err := world.New(load(t), "plain", seed, time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		ids[do(t, w, `billing create_invoice {"customer":"x","amount":1}`).Text] = true
	}
	if len(ids) != 3 {
		t.Errorf("got %v", ids)
	}
}
