package orchestrator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

func TestWhatAnEarlierPartLeftIsToldUntilItIsGone(t *testing.T) {
	t.Parallel()
	stuck := "container " + strings.Repeat("5", 12) + " (stuck)"
	for _, c := range []struct {
		name, there string
		before      []string
		want        []string
	}{
		{"one of two is gone", "stuck", []string{stuck, "network gone"}, []string{stuck}},
		{"what could not be listed may be what is there", "stuck", []string{"unknown: no answer"}, []string{"unknown: no answer"}},
		{"all is gone", "", []string{stuck, "unknown: no answer"}, []string{}},
		{"another run's", "other", []string{stuck}, []string{}},
		{"nothing was left", "stuck", []string{}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first, q := beginHeard(t, &orchestrator.Options{}, 1, orchestrator.Batch{}, func(orchestrator.Event) {})
			rec := first.Finish(t.Context())
			data, err := orchestrator.Encode(&orchestrator.TrialRecord{Format: orchestrator.TrialFormat, SchemaVersion: orchestrator.SchemaVersion, Leaks: c.before,
				Case: orchestrator.Case{ID: "a", Status: orchestrator.Complete, Artifacts: orchestrator.Artifacts{Trial: "trials/a"}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(first.Path(), "trials", "a"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(first.Path(), "trials", "a", "trial.json"), data, 0o644); err != nil {
				t.Fatal(err)
			}
			containers := "[]"
			if c.there != "" {
				run := map[string]string{"stuck": rec.RunID, "other": "other"}[c.there]
				containers = `[{"Id": "` + strings.Repeat("5", 64) + `", "Names": ["/stuck"], "State": "dead", "Labels": {"dev.seatrial.run": "` + run + `", "dev.seatrial.owner": "` + sidecar.Self().String() + `"}}]`
			}
			q.Resume = first.Path()
			q.Host = sidecar.Host{Address: engineWith(t, containers), Source: "test"}
			conn, err := sidecar.Connect(q.Host)
			if err != nil {
				t.Fatal(err)
			}
			again, err := orchestrator.NewSession(t.Context(), q, conn, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, again.Finish(t.Context()).Leaks); diff != "" {
				t.Errorf("leaks (-want +got):\n%s", diff)
			}
		})
	}
}
