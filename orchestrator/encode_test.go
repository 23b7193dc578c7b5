package orchestrator_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

func TestARecordIsWrittenCaseByCaseAsItIsAtOnce(t *testing.T) {
	t.Parallel()
	lookalike := "\n  \"cases\": []"
	cases := []orchestrator.Case{
		{ID: "a", Scores: []verifier.Score{}, Warnings: []orchestrator.Warning{{Code: "odd", Message: lookalike + "<&>\u2028 \xff"}}},
		{ID: lookalike, Tags: []string{"x", "y"}, Trials: []orchestrator.Case{{ID: "inner", Error: &orchestrator.Fault{Value: map[string]any{"cases": []any{}}}}}},
		{},
	}
	for n := range len(cases) + 1 {
		r := &orchestrator.RunRecord{RunID: lookalike, Cases: cases[:n], Spec: orchestrator.RunSpec{Timeouts: map[string]any{"cases": []any{}}, Args: []string{lookalike}}}
		want, err := orchestrator.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			r.Cases = nil
			if want, err = orchestrator.Encode(&orchestrator.RunRecord{RunID: r.RunID, Cases: []orchestrator.Case{}, Spec: r.Spec}); err != nil {
				t.Fatal(err)
			}
		}
		var got bytes.Buffer
		if err := r.EncodeTo(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%d cases (-at once +one by one):\n%s", n, diff)
		}
		if len(r.Cases) != n {
			t.Errorf("the record has %d cases now, and had %d", len(r.Cases), n)
		}
	}
}

// full is a disk that takes n bytes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("no space left")

func TestARecordThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	var r orchestrator.RunRecord
	for range 200 {
		r.Cases = append(r.Cases, orchestrator.Case{ID: "a"})
	}
	var all bytes.Buffer
	if err := r.EncodeTo(&all); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 100, all.Len() / 2, all.Len() - 1} {
		if err := r.EncodeTo(&full{n}); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", n, all.Len(), err)
		}
	}
	r.Cases[100].Error = &orchestrator.Fault{Value: func() {}}
	if err := r.EncodeTo(io.Discard); err == nil {
		t.Error("a value that no JSON can hold was written")
	}
}
