package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
)

// anyRun makes a run as there might be.
func anyRun(r *rand.Rand, n int) *orchestrator.RunRecord {
	var cases []orchestrator.Case
	for i := range n {
		id := fmt.Sprintf("case-%05d", i)
		switch r.IntN(12) {
		case 0:
			continue
		case 1:
			cases = append(cases, broken(id, "internal"))
		case 2:
			cases = append(cases, unscored(id))
		case 3:
			cases = append(cases, harbor(id, r.NormFloat64()*(math.MaxFloat64/16)))
		case 4:
			cases = append(cases, tried(id, r.Float64(), r.Float64(), 1))
		default:
			cases = append(cases, scored(id, float64(r.IntN(5))/4, dim("x", r.Float64()), dim("y", r.Float64())))
		}
	}
	return run("any", cases...)
}

func TestAComparisonHolds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		was, now := anyRun(r, 40), anyRun(r, 40)
		same := compared(t, was, was)
		if n := same.Counts; n.Regressions+n.Improvements+n.Added+n.Removed != 0 || len(same.Differences) != 0 {
			t.Fatalf("seed %d: a run against itself: %+v", seed, n)
		}
		one, back := compared(t, was, now), compared(t, now, was)
		if a, b := one.Counts, back.Counts; a.Regressions != b.Improvements || a.Improvements != b.Regressions || a.Added != b.Removed || a.NotComparable != b.NotComparable {
			t.Fatalf("seed %d: %+v, and the other way %+v", seed, a, b)
		}
		if n := one.Counts; n.Compared+n.NotComparable != len(one.Cases) || len(one.Cases)+n.Added != len(now.Cases) || len(one.Cases)+n.Removed != len(was.Cases) {
			t.Fatalf("seed %d: %+v of %d and %d", seed, n, len(was.Cases), len(now.Cases))
		}
		first := shown(t, one)
		r.Shuffle(len(was.Cases), func(i, j int) { was.Cases[i], was.Cases[j] = was.Cases[j], was.Cases[i] })
		slices.Reverse(now.Cases)
		if diff := cmp.Diff(first, shown(t, compared(t, was, now))); diff != "" {
			t.Fatalf("seed %d: the order of the cases shows:\n%s", seed, diff)
		}
	}
}

func TestTenThousandCasesAreComparedFast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	was, now := anyRun(r, 10_000), anyRun(r, 10_000)
	data := make([][]byte, 2)
	for i, rec := range []*orchestrator.RunRecord{was, now} {
		var err error
		if data[i], err = orchestrator.Encode(rec); err != nil {
			t.Fatal(err)
		}
	}
	started := time.Now()
	var read [2]*orchestrator.RunRecord
	for i := range data {
		var err error
		if read[i], err = orchestrator.DecodeRun(data[i]); err != nil {
			t.Fatal(err)
		}
	}
	decoded := time.Since(started)
	shown(t, compared(t, read[0], read[1]))
	t.Logf("%d cases, %d MB read in %v, all in %v", len(now.Cases), (len(data[0])+len(data[1]))>>20, decoded, time.Since(started))
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
