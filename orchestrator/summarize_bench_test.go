package orchestrator_test

import (
	"os"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/sample"
)

// BenchmarkRebuild makes the record of 10,000 trials, 4 of each case. With SEATRIAL_SAMPLE_RUN the run's folder is made there and stays.
func BenchmarkRebuild(b *testing.B) {
	dir := os.Getenv("SEATRIAL_SAMPLE_RUN")
	if dir == "" {
		dir = b.TempDir()
	}
	if _, err := sample.Write(dir, sample.Options{Cases: 2500, Trials: 4}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		rec, unread, err := orchestrator.Rebuild(dir)
		if err != nil || len(unread) > 0 || rec.Summary.Trials.Complete+rec.Summary.Trials.Incomplete != 10000 {
			b.Fatalf("%v, %d unread, %+v", err, len(unread), rec.Summary.Trials)
		}
	}
}
