package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestAFloodDoesNotDrownTheVerdict(t *testing.T) {
	many := func(folder string, n int) act {
		return func(_ context.Context, p *process) (*shim.Report, error) {
			for i := range n {
				p.write(fmt.Sprintf("/logs/%s/%05d.txt", folder, i), "x")
			}
			return nil, nil
		}
	}
	for _, c := range []struct {
		name  string
		scene scene
	}{
		{"many small files of the agent", scene{agent: many("agent", 20_500), tests: reward(`{"reward": 1}`)}},
		{"large files of the agent", scene{agent: acts(writes("/logs/agent/a", strings.Repeat("a", 70<<20)), writes("/logs/artifacts/b", "b")), tests: reward(`{"reward": 1}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, c.scene)
				rec := h.play(t.Context(), t, planOf(t, "plain"))
				if rec.Case.Score == nil || *rec.Case.Score != 1 {
					t.Errorf("the verdict is lost: %+v", rec.Case.Error)
				}
				if len(rec.Collected.Skipped) == 0 {
					t.Error("what was left out is not told of")
				}
			})
		})
	}
}

func TestAFloodedDiskStillGivesAllFourFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		details := `{"a": {"criteria": [{"name": "x", "value": 1, "reasoning": "seen"}]}}`
		h := newHouse(t, scene{agent: writes("/logs/agent/a", strings.Repeat("a", 70<<20)), tests: acts(reward(`{"a": 1}`), writes("/logs/verifier/reward.txt", "0.5"),
			writes("/logs/verifier/reward-details.json", details), writes("/logs/verifier/contract.json", `{"rewards": 1}`))})
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		if rec.Case.Score == nil || !rec.Case.ScoreDerived || len(rec.Case.Scores) != 1 || len(rec.Case.Scores[0].Criteria) != 1 {
			t.Errorf("%+v", rec.Case)
		}
		if !slices.Contains(codes(rec), "rewards_disagree") {
			t.Errorf("reward.txt was not compared: %q", codes(rec))
		}
	})
}

func TestAFetchThatBreaksOffIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := 2
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), fetch: func(context.Context, string) error {
			if broken > 0 {
				broken--
				return io.ErrUnexpectedEOF
			}
			return nil
		}})
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1})
		if rec.Collected.Files != 1 {
			t.Errorf("%d files were counted", rec.Collected.Files)
		}
	})
}

func TestAFetchThatKeepsFailingIsTheMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), fetch: func(context.Context, string) error { return errors.New("no route to the engine") }})
		check(t, h, h.play(t.Context(), t, planOf(t, "plain")), ending{score: noScore, code: "internal", phase: "collect", phases: "build start agent verifier collect teardown"})
	})
}

func TestAFetchThatHangsRunsIntoItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), fetch: func(ctx context.Context, _ string) error { return forever(ctx) }})
		started := time.Now()
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: noScore, code: "internal", phase: "collect", phases: "build start agent verifier collect teardown"})
		if took := time.Since(started); took > 3*time.Minute {
			t.Errorf("it held the trial for %v", took)
		}
		if f := rec.Case.Error; f.Limit == nil || *f.Limit != 120 {
			t.Errorf("the fault's limit is %v", f.Limit)
		}
	})
}

func TestLogsAreFetchedOnce(t *testing.T) {
	for name, tests := range map[string]act{"a reward": reward(`{"reward": 1}`), "no reward": exits(1), "a broken reward": reward("{")} {
		t.Run("after "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fetched := 0
				h := newHouse(t, scene{agent: writes("/logs/agent/x", "x"), tests: tests, fetch: func(context.Context, string) error { fetched++; return nil }})
				rec := h.play(t.Context(), t, planOf(t, "plain"))
				if want := len(h.eng.all[0].below("/logs")); fetched != 1 || rec.Collected.Files != want {
					t.Errorf("%d fetches, %d files counted, want %d", fetched, rec.Collected.Files, want)
				}
			})
		})
	}
}

func TestWhatEndsEarlyLeavesItsLogs(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene scene
		file  []string
	}{
		{"an agent in a container that died", scene{agent: acts(writes("/logs/agent/notes.txt", "n"), fails(dead("main")))}, []string{"agent", "notes.txt"}},
		{"tests whose helper was killed", scene{tests: acts(writes("/logs/verifier/notes.txt", "n"), fails(helperLost()))}, []string{"verifier", "notes.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, c.scene)
				p := planOf(t, "plain")
				h.play(t.Context(), t, p)
				if got := h.file(t, p, c.file...); got != "n" {
					t.Errorf("the file holds %q", got)
				}
			})
		})
	}
}

func TestWhatComesOutNeverReplacesTheToolsOwnFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{agent: acts(prints("really\n"), writes("/logs/agent/stdout.log", "forged"), writes("/logs/artifacts/x", "x")),
			tests: acts(prints("tested\n"), writes("/logs/verifier/test-stdout.txt", "forged"), reward(`{"reward": 1}`))})
		p := planOf(t, "plain")
		h.play(t.Context(), t, p)
		for want, elem := range map[string][]string{"really\n": {"agent", "stdout.log"}, "tested\n": {"verifier", "test-stdout.txt"}} {
			if got := h.file(t, p, elem...); got != want {
				t.Errorf("%v = %q, want %q", elem, got, want)
			}
		}
	})
}

func TestArtifactsOfTheTaskAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	copyTask(t, "plain", dir, "[task]", `artifacts = ["out", "/srv/missing", { source = "/etc/app", destination = "conf", exclude = ["*.key", "cache"] }, "/logs/artifacts"]

[task]`)
	synctest.Test(t, func(t *testing.T) {
		jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
		if err != nil || jobs[0].Err != nil {
			t.Fatal(err, jobs[0].Err)
		}
		p := jobs[0].Plan
		h := newHouse(t, scene{tests: acts(writes("/app/out/late.txt", "late"), reward(`{"reward": 1}`)), agent: acts(writes("/app/out/a.txt", "a"), writes("/etc/app/x.conf", "x"),
			writes("/etc/app/x.key", "k"), writes("/etc/app/cache/c", "c"), writes("/logs/artifacts/own.txt", "own"))})
		rec := h.play(t.Context(), t, p)
		check(t, h, rec, ending{score: 1, warnings: []string{"artifact_missing"}, phases: "build start agent collect verifier collect rewards teardown"})
		var got []string
		root := h.path(p, "artifacts")
		err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(root, path)
				got = append(got, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"app/out/a.txt", "conf/x.conf", "manifest.json", "own.txt"}, got); diff != "" {
			t.Errorf("artifacts (-want +got):\n%s", diff)
		}
	})
}

func TestManyTrialsAtOnceStayApart(t *testing.T) {
	h := newHouse(t, scene{})
	h.eng.agent = func(_ context.Context, p *process) (*shim.Report, error) {
		p.write("/app/mine", p.trial)
		p.printf("%s\n", p.trial)
		return nil, nil
	}
	h.eng.tests = func(_ context.Context, p *process) (*shim.Report, error) {
		mine, _ := p.read("/app/mine")
		p.write("/logs/verifier/reward.json", fmt.Sprintf(`{"reward": %d}`, map[bool]int{true: 1}[mine == p.trial]))
		return nil, nil
	}
	base := planOf(t, "plain")
	var wg sync.WaitGroup
	recs := make([]*orchestrator.TrialRecord, 24)
	for i := range recs {
		wg.Go(func() {
			p := *base
			p.Folder = fmt.Sprintf("plain-%d", i)
			rec, err := h.Trial(t.Context(), &p)
			if err != nil {
				t.Error(err)
			}
			recs[i] = rec
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for i, rec := range recs {
		if rec.Case.Score == nil || *rec.Case.Score != 1 || ids[rec.TrialID] {
			t.Errorf("trial %d: %+v", i, rec.Case)
		}
		ids[rec.TrialID] = true
		log, err := os.ReadFile(filepath.Join(h.Folder.Path, "trials", fmt.Sprintf("plain-%d", i), "agent", "stdout.log"))
		if err != nil || strings.TrimSpace(string(log)) != rec.TrialID {
			t.Errorf("trial %d's log is %q, %v", i, log, err)
		}
	}
	if h.eng.left() != 0 {
		t.Errorf("%d trials are left", h.eng.left())
	}
}
