package orchestrator

import (
	"os"
	"path/filepath"
	"slices"
)

// pastRuns is how many earlier runs are asked how long cases took.
const pastRuns = 3

// durations are the seconds that a trial of each case took in the latest runs of the same folder, by the case's id: where more trials are to be done than there are
// places, those that take longest come first, so that none of them is left to the end alone. Else nobody asks, and there are none.
func durations(q *Request, jobs int) map[string]float64 {
	if q.Batch.Parallel <= 1 || jobs*max(1, q.Batch.Trials) <= q.Batch.Parallel {
		return nil
	}
	entries, err := os.ReadDir(q.RunsDir)
	if err != nil {
		return nil
	}
	took, read := map[string]float64{}, 0
	for _, e := range slices.Backward(entries) { // their names begin with the time
		var rec RunRecord
		if read == pastRuns || readRecord(filepath.Join(q.RunsDir, e.Name(), "run.json"), RunFormat, &rec) != nil {
			continue
		}
		read++
		for i := range rec.Cases {
			c := &rec.Cases[i]
			if _, newer := took[c.ID]; !newer && c.Timing.Total > 0 {
				took[c.ID] = c.Timing.Total / float64(max(1, len(c.Trials)))
			}
		}
	}
	return took
}
