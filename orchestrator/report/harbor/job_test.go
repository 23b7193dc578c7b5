package harbor_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/harbor"
	"github.com/seatrial/seatrial/orchestrator/report/sample"
)

func job(t testing.TB, dir string) harbor.JobResult {
	t.Helper()
	var r harbor.JobResult
	if err := json.Unmarshal([]byte(read(t, dir, "trials/result.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// attempts are the trials of a task, by their rewards; NaN = it has none.
func attempts(task string, values ...float64) []orchestrator.TrialRecord {
	var out []orchestrator.TrialRecord
	for i, v := range values {
		out = append(out, orchestrator.TrialRecord{Case: aCase(fmt.Sprintf("%s-%d", task, i), orchestrator.Complete, func(c *orchestrator.Case) {
			c.Task.Name = task
			if c.Scores = scored(map[string]float64{"reward": v}); math.IsNaN(v) {
				c.Status, c.Scores, c.Error = orchestrator.Incomplete, nil, &orchestrator.Fault{Code: orchestrator.CodeInterrupted, Phase: "agent", Message: "interrupted"}
			}
		})})
	}
	return out
}

// The wanted numbers were computed apart from this code, by the words of Harbor's rules.
func TestPassAtKAndMean(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	for _, c := range []struct {
		name   string
		trials []orchestrator.TrialRecord
		passAt map[string]float64
		mean   float64
	}{
		{"one trial has no k", attempts("a", 1), map[string]float64{}, 1},
		{"two of four pass", attempts("a", 1, 0, 1, 0), map[string]float64{"2": 1 - 1.0/6, "4": 1}, 0.5},
		{"the fewest trials of a task bound k", append(attempts("a", 1, 0, 0, 0, 0), attempts("b", 0, 0)...), map[string]float64{"2": 0.2}, 1.0 / 7},
		{"five", attempts("a", 0, 0, 0, 0, 1), map[string]float64{"2": 0.4, "4": 0.8, "5": 1}, 0.2},
		{"a trial without a verdict has not passed", attempts("a", 1, none), map[string]float64{"2": 1}, 0.5},
		{"a reward between", attempts("a", 1, 0.5), map[string]float64{}, 0.75},
	} {
		dir := t.TempDir()
		write(t, dir, runRecord("oracle", len(c.trials)), c.trials...)
		r := job(t, dir)
		e := r.Stats.Evals["oracle__large__core"]
		if e == nil || len(e.PassAtK) != len(c.passAt) || math.Abs(e.Metrics[0]["mean"]-c.mean) > 1e-12 {
			t.Errorf("%s: got %+v", c.name, e)
			continue
		}
		for k, want := range c.passAt {
			if got, ok := e.PassAtK[k]; !ok || math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: pass@%s is %g, want %g", c.name, k, got, want)
			}
		}
		heldAll(t, dir)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := runRecord("oracle", 9)
	run.Cases = []orchestrator.Case{{ID: "never-planned"}, {ID: "elsewhere", Artifacts: orchestrator.Artifacts{Trial: "../x"}}, {ID: "deeper", Artifacts: orchestrator.Artifacts{Trial: "trials/a/b"}}}
	write(t, dir, run, attempts("a", 1, math.NaN(), math.NaN())...)
	s := job(t, dir).Stats
	if got, want := []int{s.Completed, s.Errored, s.Pending, s.Cancelled, s.Running}, []int{3, 2, 6, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := s.Evals["oracle__large__core"].Exceptions; !reflect.DeepEqual(got, map[string][]string{"CancelledError": {"a-1", "a-2"}}) {
		t.Errorf("got %v", got)
	}
}

func TestEachErrorCodeHasAnException(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"agent_timeout": "AgentTimeoutError", "agent_error": "NonZeroAgentExitCodeError", "verifier_timeout": "VerifierTimeoutError", "reward_missing": "RewardFileNotFoundError",
		"no_scores": "RewardFileEmptyError", "reward_invalid": "VerifierOutputParseError", "contract_unsupported": "VerifierOutputParseError", "interrupted": "CancelledError",
		"setup_failed": "RuntimeError", "setup_timeout": "RuntimeError", "build_failed": "RuntimeError", "sidecar_failed": "RuntimeError", "sandbox_lost": "RuntimeError", "teardown_leak": "RuntimeError",
		"model_mismatch": "RuntimeError", "artifact_missing": "RuntimeError", "fake_evidence_missing": "RuntimeError", "fake_contract_violation": "RuntimeError", "verifier_error": "RuntimeError",
		"internal": "RuntimeError",
	}
	for _, code := range orchestrator.ErrorCodes() {
		if got := harbor.Exception(&orchestrator.Fault{Code: code}); got != want[code] {
			t.Errorf("%s is %s, want %q", code, got, want[code])
		}
	}
	for _, c := range []struct {
		fault orchestrator.Fault
		want  string
	}{
		{orchestrator.Fault{Code: "setup_timeout", Step: "build"}, "EnvironmentStartTimeoutError"},
		{orchestrator.Fault{Code: "setup_timeout", Step: "start"}, "EnvironmentStartTimeoutError"},
		{orchestrator.Fault{Code: "setup_timeout", Step: "agent_setup"}, "AgentSetupTimeoutError"},
		{orchestrator.Fault{Code: "setup_timeout", Step: "prepare", Rule: "setup.sh"}, "RuntimeError"},
		{orchestrator.Fault{Code: "setup_failed", Step: "prepare", Exit: ptr(1)}, "HealthcheckError"},
		{orchestrator.Fault{Code: "setup_failed", Step: "prepare", Exit: ptr(1), Rule: "setup.sh"}, "RuntimeError"},
		{orchestrator.Fault{Code: "setup_failed", Step: "start", Exit: ptr(1), Service: "main"}, "RuntimeError"},
	} {
		if got := harbor.Exception(&c.fault); got != c.want {
			t.Errorf("%+v is %s, want %s", c.fault, got, c.want)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		spec orchestrator.RunSpec
		want string
	}{
		{"a folder of tasks", orchestrator.RunSpec{Path: []string{"/suite/core"}}, "core"},
		{"the nearest of two", orchestrator.RunSpec{Path: []string{"/suite", "core/"}, Directory: "/suite"}, "core"},
		{"the task itself", orchestrator.RunSpec{Path: []string{"/suite/core/a-0"}}, "adhoc"},
		{"a name that only begins alike", orchestrator.RunSpec{Path: []string{"/suite/cor"}}, "adhoc"},
		{"a file that lists tasks", orchestrator.RunSpec{Path: []string{"lists/nightly.toml"}, Directory: "/elsewhere"}, "nightly"},
		{"a pattern", orchestrator.RunSpec{Path: []string{"/suite/core/a-*"}}, "adhoc"},
		{"what parts keys is in none", orchestrator.RunSpec{Path: []string{"/my__lists/a____b.toml"}}, "a_b"},
	} {
		dir := t.TempDir()
		run := runRecord("nop", 1)
		run.Spec, run.Candidate.Model = c.spec, nil
		write(t, dir, run, attempts("a", 1)...)
		if r := job(t, dir); r.Stats.Evals["nop__"+c.want] == nil {
			t.Errorf("%s: got %+v", c.name, r.Stats.Evals)
		}
	}
}

func TestFilesOfTrialsThatCountNoMoreAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "trials/superseded/result.json", "{}")
	save(t, dir, "trials/superseded/config.json", "{}")
	save(t, dir, "trials/superseded/trial.log", "kept")
	save(t, dir, "trials/cut/result.json", "{}")
	save(t, dir, "trials/cut/trial.json", `{"format": "seatrial-trial"`)
	run := runRecord("nop", 2)
	run.Cases = []orchestrator.Case{{ID: "cut", Artifacts: orchestrator.Artifacts{Trial: "trials/cut"}}}
	unread := write(t, dir, run, attempts("a", 1)...)
	if len(unread) != 1 || !strings.Contains(unread[0].Path, "trials/cut/trial.json") || !strings.Contains(unread[0].Reason, "cut or not JSON") {
		t.Errorf("unread: %+v", unread)
	}
	read(t, dir, "trials/superseded/trial.log")
	if n := heldAll(t, dir); n != 1 {
		t.Errorf("%d trials", n)
	}
}

func TestNothingIsWrittenThroughWhatLiesThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "run.json", "ours")
	trials := attempts("a", 1, 1)
	for _, name := range []string{"trials/a-0", "trials/a-1"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{os.Symlink("../../run.json", filepath.Join(dir, "trials/a-0/result.json")), os.Symlink("../../run.json", filepath.Join(dir, "trials/a-0/config.json.part")),
		syscall.Mkfifo(filepath.Join(dir, "trials/a-1/result.json"), 0o600), os.Symlink("../run.json", filepath.Join(dir, "trials/result.json")), os.Symlink("a-0", filepath.Join(dir, "trials/linked"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := runRecord("nop", 3)
	run.Cases = []orchestrator.Case{{ID: "linked", Artifacts: orchestrator.Artifacts{Trial: "trials/linked"}}}
	unread := write(t, dir, run, trials...)
	if len(unread) != 1 || read(t, dir, "run.json") != "ours\n" || heldAll(t, dir) != 3 { // the link leads to one of them
		t.Errorf("unread: %v, run.json: %s", unread, read(t, dir, "run.json"))
	}
	if _, _, err := harbor.Write(t.TempDir(), run, zone()); err == nil {
		t.Error("a folder without trials is none of a run")
	}
}

func TestSampleRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, err := sample.Write(dir, sample.Options{Cases: 20, Trials: 4, Nasty: "\x1b[1m</script>\"界"})
	if err != nil {
		t.Fatal(err)
	}
	if _, unread, err := harbor.Write(dir, run, zone()); err != nil || unread != nil {
		t.Fatal(unread, err)
	}
	if n := heldAll(t, dir); n != 80 {
		t.Errorf("%d trials", n)
	}
	if again, unread, err := orchestrator.Rebuild(dir); err != nil || unread != nil || again.Summary.Planned != 20 {
		t.Errorf("the run cannot be rebuilt beside these files: %v, %v", unread, err)
	}
}

func FuzzAnyRecord(f *testing.F) {
	for _, k := range kinds() {
		k.Format, k.SchemaVersion = orchestrator.TrialFormat, orchestrator.SchemaVersion
		data, err := orchestrator.Encode(&k)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "core", "acme/large")
	}
	f.Add([]byte(`{"format":"seatrial-trial","schema_version":1,"case":{"status":"complete","scores":[{"name":"a","value":1e308},{"name":"b","value":-5}],"timing":{"build":-1e300,"agent":1e300}}}`), "a__b", "/")
	f.Fuzz(func(t *testing.T, data []byte, path, model string) {
		dir := t.TempDir()
		save(t, dir, "trials/x/trial.json", string(data))
		run := runRecord("nop", 1)
		run.Spec.Path, run.Candidate.Model = []string{path}, &model
		run.Cases = []orchestrator.Case{{ID: "x", Artifacts: orchestrator.Artifacts{Trial: "trials/x"}}}
		_, unread, err := harbor.Write(dir, run, zone())
		if err != nil {
			t.Fatal(err)
		}
		if n := heldAll(t, dir); n+len(unread) != 1 {
			t.Errorf("%d trials, unread: %v", n, unread)
		}
	})
}

// BenchmarkWrite makes the files of 10,000 trials, 4 of each case.
func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	run, err := sample.Write(dir, sample.Options{Cases: 2500, Trials: 4})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, unread, err := harbor.Write(dir, run, zone()); err != nil || unread != nil {
			b.Fatal(unread, err)
		}
	}
}
