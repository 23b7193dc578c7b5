package why_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/why"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/verifier"
)

// expectation is what a finding is to be.
type expectation struct {
	name  string
	e     *why.Evidence
	code  string
	side  why.Side
	cause bool
	first bool     // it is the verdict
	says  []string // in the sentence and the proof
}

func (c expectation) check(t *testing.T) {
	t.Helper()
	all := why.Diagnose(c.e)
	i := slices.IndexFunc(all, func(f why.Finding) bool { return f.Code == c.code })
	if i < 0 {
		t.Errorf("%s: there is no %s among %+v", c.name, c.code, all)
		return
	}
	f := all[i]
	if f.Side != c.side || f.Cause != c.cause || (i == 0) != c.first {
		t.Errorf("%s: it is number %d: %+v", c.name, i, f)
	}
	if f.Sentence == "" || len(f.Proof) == 0 {
		t.Errorf("%s: no sentence, or no proof: %+v", c.name, f)
	}
	text := f.Sentence + "\n" + strings.Join(f.Proof, "\n")
	for _, s := range c.says {
		if !strings.Contains(text, s) {
			t.Errorf("%s: it does not say %q:\n%s", c.name, s, text)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	fault := func(code, phase, message string, more ...func(*orchestrator.Fault)) *why.Evidence {
		f := orchestrator.Fault{Code: code, Phase: phase, Message: message}
		for _, m := range more {
			m(&f)
		}
		return faulty(f)
	}
	set := func(step, rule, service string, exit *int) func(*orchestrator.Fault) {
		return func(f *orchestrator.Fault) { f.Step, f.Rule, f.Service, f.Exit = step, rule, service, exit }
	}
	for _, c := range []expectation{
		{"an interrupt", fault("interrupted", "agent", "interrupted by SIGINT in phase agent"), "interrupted", why.Machine, true, true, []string{"SIGINT"}},
		{"a full engine", fault("setup_failed", "setup", "the engine's disk is full: write /x: no space left on device", set("build", "other", "", nil)), "engine_disk_full", why.Machine, true, true, []string{"disk was full"}},
		{"a script that says the same is not the engine", fault("setup_failed", "setup", "setup.sh ended with exit code 1; its last line: No space left on device", set("prepare", "setup.sh", "", ptr(1))),
			"setup_failed", why.Task, true, true, []string{"setup.sh"}},
		{"an image that is not there", fault("setup_failed", "setup", "the image x could not be pulled", set("build", "not_found", "", nil)), "image_unavailable", why.Task, true, true, nil},
		{"a registry that is not there", fault("setup_failed", "setup", "the image x could not be pulled", set("build", "unreachable", "", nil)), "image_unavailable", why.Machine, true, true, []string{`case.error.rule = "unreachable"`}},
		{"a registry that limits the rate", fault("setup_failed", "setup", "m", set("build", "rate_limited", "", nil)), "image_unavailable", why.Machine, true, true, nil},
		{"a base image", fault("build_failed", "setup", "the image x is not on the engine", set("build", "base_image", "", nil)), "image_unavailable", why.Unknown, true, true, nil},
		{"a build", fault("build_failed", "setup", "RUN make ended with exit code 2", set("build", "step_exit", "", ptr(2))), "build_failed", why.Task, true, true, []string{"RUN make", "case.error.exit = 2"}},
		{"a tool that broke", fault("internal", "collect", "m"), "internal", why.Machine, true, true, nil},
		{"an engine that is gone", fault("sandbox_lost", "agent", "the engine does not answer"), "sandbox_lost", why.Machine, true, true, nil},
		{"a container that died", fault("sandbox_lost", "agent", "service main exited with code 137", set("", "", "main", ptr(137))), "sandbox_lost", why.Unknown, true, true, []string{"does not say what ended it"}},
		{"a container out of memory", fault("sandbox_lost", "agent", "service main exited with code 137 (out of memory)", set("", "", "main", ptr(137))), "sandbox_lost", why.Agent, true, true, nil},
		{"a verifier out of memory", fault("sandbox_lost", "verifier", "service main exited with code 137 (out of memory)", set("", "", "main", ptr(137))), "sandbox_lost", why.Task, true, true, nil},
		{"a container without a limit out of memory", with(fault("sandbox_lost", "agent", "service main exited with code 137 (out of memory)", set("", "", "main", ptr(137))),
			func(e *why.Evidence) { e.Lock.Services[0].Memory = 0 }), "sandbox_lost", why.Machine, true, true, []string{"no limit of its own"}},
		{"a sidecar", fault("sidecar_failed", "agent", "service db exited with code 1", set("", "", "db", ptr(1))), "sidecar_failed", why.Task, true, true, []string{`case.error.service = "db"`, "case.error.exit = 1"}},
		{"the gateway", fault("sidecar_failed", "agent", "m", set("", "", "seatrial-egress", ptr(1))), "sidecar_failed", why.Machine, true, true, nil},
		{"the program as a service", with(fault("sidecar_failed", "agent", "m", set("", "", "fakes", ptr(1))), func(e *why.Evidence) { e.Lock.Images = map[string]lockfile.Image{"fakes": {Program: true}} }),
			"sidecar_failed", why.Machine, true, true, nil},
		{"a health check", fault("setup_failed", "setup", "m", set("start", "", "", ptr(1))), "setup_failed", why.Task, true, true, []string{"health check"}},
		{"a start that failed", fault("setup_failed", "setup", "m", set("start", "", "", nil)), "setup_failed", why.Unknown, true, true, nil},
		{"a main that exits at once", fault("setup_failed", "setup", "m", set("start", "", "main", ptr(1))), "setup_failed", why.Task, true, true, nil},
		{"a build that is slow", fault("setup_timeout", "setup", "m", set("build", "", "", nil)), "setup_timeout", why.Unknown, true, true, []string{"build.log"}},
		{"fakes that broke their word", fault("fake_contract_violation", "collect", "m"), "fake_contract_violation", why.Task, true, true, nil},
		{"fakes without evidence", fault("fake_evidence_missing", "collect", "m"), "fake_evidence_missing", why.Unknown, true, true, nil},
		{"another model", fault("model_mismatch", "agent", "m", func(f *orchestrator.Fault) { f.Key, f.Value = "a", "b" }), "model_mismatch", why.Agent, true, true, []string{`case.error.key = "a"`, "case.error.value"}},
		{"an artifact", fault("artifact_missing", "collect", "m"), "artifact_missing", why.Agent, true, true, nil},
		{"an installation", fault("agent_error", "setup", "m", set("agent_setup", "", "", ptr(1))), "agent_error", why.Agent, true, true, []string{"installed"}},
		{"no reward", fault("reward_missing", "verifier", "m"), "reward_missing", why.Task, true, true, nil},
		{"a bad reward", fault("reward_invalid", "rewards", "m", set("", "range", "", nil)), "reward_invalid", why.Task, true, true, []string{`case.error.rule = "range"`}},
		{"a contract from the future", fault("contract_unsupported", "rewards", "m"), "contract_unsupported", why.Task, true, true, nil},
		{"no scores", fault("no_scores", "rewards", "m"), "no_scores", why.Task, true, true, nil},
		{"tests whose limit fired outside", fault("verifier_timeout", "verifier", "m"), "verifier_timeout", why.Task, true, true, nil},
		{"tests that were lost", fault("verifier_error", "verifier", "m"), "verifier_error", why.Task, true, true, nil},
		{"an agent whose limit fired outside", fault("agent_timeout", "agent", "m"), "agent_timeout", why.Agent, true, true, nil},
		{"a code that nobody knows", fault("of_tomorrow", "agent", "it was so"), "unexplained", why.Unknown, true, true, []string{"it was so"}},
	} {
		c.check(t)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	agent := func(e *why.Evidence, change func(*orchestrator.Exec)) *why.Evidence {
		change(e.Trial.Agent)
		return e
	}
	tests := func(e *why.Evidence, change func(*orchestrator.Exec)) *why.Evidence {
		change(e.Trial.Verifier)
		return e
	}
	said := why.Log{File: "agent/stderr.log", Lines: []why.Line{{7, "cp: error: No space left on device"}, {8, "bye"}}}
	for _, c := range []expectation{
		{"a limit of the agent", cutOff(scored(0)), "agent_timeout", why.Agent, true, true, []string{"600.2 s", "task.toml [agent] timeout_sec", "KILL", `agent.limit_fired = "kill"`}},
		{"a limit of the solution", oracle(cutOff(scored(0))), "agent_timeout", why.Task, true, true, nil},
		{"a limit that did no harm", cutOff(scored(1)), "agent_timeout", why.Agent, false, false, nil},
		{"a limit of the tests", tests(faulty(orchestrator.Fault{Code: "verifier_timeout"}), func(x *orchestrator.Exec) { x.Limit = "term" }), "verifier_timeout", why.Task, true, true, []string{"TERM was enough"}},
		{"memory of the agent", squeezed(agent(scored(0), func(x *orchestrator.Exec) { x.OOMKills, x.Exit, x.Signal = ptr(int64(2)), ptr(137), "SIGKILL" }), shim.Pressure{MemoryPeak: ptr(int64(99)), MemoryLimit: ptr(int64(100))}),
			"agent_oom", why.Agent, true, true, []string{"2 processes", "memory_peak_bytes = 99", "memory_limit_bytes = 100"}},
		{"memory of the machine", with(agent(scored(0), func(x *orchestrator.Exec) { x.OOMKills = ptr(int64(1)) }), func(e *why.Evidence) { e.Lock.Services[0].Memory = 0 }), "agent_oom", why.Machine, true, true, []string{"1 process "}},
		{"memory of the tests", tests(faulty(orchestrator.Fault{Code: "verifier_error"}), func(x *orchestrator.Exec) { x.OOMKills = ptr(int64(1)) }), "tests_oom", why.Task, true, true, nil},
		{"a signal", agent(scored(0), func(x *orchestrator.Exec) { x.Exit, x.Signal = ptr(139), "SIGSEGV" }), "agent_signal", why.Agent, true, true, []string{"SIGSEGV", "agent.oom_kills = 0"}},
		{"a signal to the tests", tests(scored(0), func(x *orchestrator.Exec) { x.Exit, x.Signal = ptr(137), "SIGKILL" }), "tests_signal", why.Task, true, true, nil},
		{"an end that nobody knows", agent(scored(0), func(x *orchestrator.Exec) { x.Exit = nil }), "agent_lost", why.Agent, true, true, []string{"agent.exit = null"}},
		{"a failure", with(agent(scored(0), func(x *orchestrator.Exec) { x.Exit = ptr(127) }), func(e *why.Evidence) { e.Logs = []why.Log{said} }), "agent_failed", why.Agent, true, true, []string{"not found", "agent/stderr.log:8: bye"}},
		{"an exit code of a shell", agent(scored(0), func(x *orchestrator.Exec) { x.Exit = ptr(137) }), "agent_failed", why.Agent, true, true, []string{"signal 9"}},
		{"no interpreter for the agent", agent(faulty(orchestrator.Fault{Code: "agent_error", Phase: "agent", Message: "m"}), func(x *orchestrator.Exec) { x.Exit, x.StartError = nil, "interpreter_missing" }),
			"agent_not_started", why.Agent, true, true, []string{"interpreter", `agent.start_error = "interpreter_missing"`}},
		{"no user for the agent", agent(faulty(orchestrator.Fault{Code: "agent_error"}), func(x *orchestrator.Exec) { x.StartError = "user_unknown" }), "agent_not_started", why.Task, true, true, nil},
		{"a switch that is not allowed", agent(faulty(orchestrator.Fault{Code: "agent_error"}), func(x *orchestrator.Exec) { x.StartError = "user_switch" }), "agent_not_started", why.Unknown, true, true, nil},
		{"no interpreter for the tests", tests(faulty(orchestrator.Fault{Code: "verifier_error"}), func(x *orchestrator.Exec) { x.StartError = "crlf_shebang" }), "tests_not_started", why.Task, true, true, nil},
		{"a start that the container was not ready for", tests(faulty(orchestrator.Fault{Code: "verifier_error"}), func(x *orchestrator.Exec) { x.StartError = "prepare" }), "tests_not_started", why.Unknown, true, true, nil},
		{"memory of setup.sh", with(faulty(orchestrator.Fault{Code: "setup_failed", Rule: "setup.sh"}), func(e *why.Evidence) {
			x := ran("setup")
			x.OOMKills = ptr(int64(1))
			e.Trial.Steps = []orchestrator.StepTrial{{Name: "one", StepFacts: orchestrator.StepFacts{SetupScript: x}}}
		}), "setup_oom", why.Task, true, true, []string{"steps[0].setup_script.oom_kills"}},
		{"nothing done", agent(scored(0), func(x *orchestrator.Exec) { x.ChangedFiles, x.Stdout.Bytes = ptr(int64(0)), 0 }), "agent_idle", why.Agent, true, true, []string{"printed nothing"}},
		{"work in the fakes", with(agent(scored(0), func(x *orchestrator.Exec) { x.ChangedFiles = ptr(int64(0)) }), func(e *why.Evidence) { e.Trial.Fakes = &orchestrator.FakesRecord{Writes: 2} }), "agent_idle", why.Agent, false, false, []string{"2 times"}},
		{"answers that are not there", with(scored(0), func(e *why.Evidence) {
			e.Trial.Scoring = &orchestrator.ScoringFacts{Submission: "/app/a.json", Problem: "no such file"}
		}), "submission_unreadable", why.Agent, true, true, nil},
		{"a step", with(scored(0), func(e *why.Evidence) {
			e.Trial.Agent, e.Trial.Verifier = nil, nil
			e.Trial.Steps = []orchestrator.StepTrial{{Name: "one"}, {Name: "two", StepFacts: orchestrator.StepFacts{Agent: cutOff(scored(0)).Trial.Agent}}}
		}), "agent_timeout", why.Agent, true, true, []string{"in step two", "steps[1].agent.limit_fired"}},
		{"a full disk", with(squeezed(scored(0), shim.Pressure{DiskFree: ptr(int64(4096))}), func(e *why.Evidence) { e.Logs = []why.Log{said} }), "disk_full", why.Machine, true, true, []string{"agent/stderr.log:7", "disk_free_bytes = 4096"}},
		{"another file system", with(squeezed(scored(0), shim.Pressure{DiskFree: ptr(int64(1 << 40))}), func(e *why.Evidence) { e.Logs = []why.Log{said} }), "disk_full", why.Unknown, false, false, []string{"another file system"}},
		{"a disk of which nobody spoke", squeezed(scored(0), shim.Pressure{DiskFree: ptr(int64(0))}), "disk_full", why.Unknown, false, false, nil},
		{"a word of a disk alone", with(scored(0), func(e *why.Evidence) { e.Logs = []why.Log{said} }), "disk_full", why.Unknown, false, false, []string{"not recorded"}},
		{"too many processes", squeezed(scored(0), shim.Pressure{PidsHit: ptr(int64(3)), PidsLimit: ptr(int64(64))}), "pids_limit", why.Agent, true, true, []string{"3 times", "64"}},
		{"a processor that is slow", squeezed(cutOff(scored(0)), shim.Pressure{CPUPeriods: ptr(int64(1000)), CPUThrottled: ptr(int64(850)), ThrottledSec: ptr(412.0)}), "cpu_throttled", why.Task, true, false, []string{"85 %", "412.0 s"}},
		{"the same without a limit", squeezed(scored(0), shim.Pressure{CPUPeriods: ptr(int64(1000)), CPUThrottled: ptr(int64(850))}), "cpu_throttled", why.Task, false, false, nil},
		{"a machine that is busy", with(squeezed(cutOff(scored(0)), shim.Pressure{LoadBefore: ptr(9.5), LoadAfter: ptr(8.0), CPUWaitSec: ptr(500.0)}), func(e *why.Evidence) { e.BesideCount = 7; e.Lock.Batch.BesideCount = 7 }),
			"host_busy", why.Machine, true, true, []string{"9.5", "2 processors", "7 trials", "cpu_wait_seconds = 500"}},
		{"the same without a limit", squeezed(scored(0), shim.Pressure{LoadBefore: ptr(9.5), LoadAfter: ptr(8.0)}), "host_busy", why.Machine, false, false, nil},
	} {
		c.check(t)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	run := func(e *why.Evidence, trials ...orchestrator.Case) *why.Evidence {
		e.Trial.Case.Trial = 1
		e.Run.Cases = []orchestrator.Case{{ID: "other"}, {ID: e.Trial.Case.ID, Trials: trials}}
		return e
	}
	trial := func(n int, score float64) orchestrator.Case {
		return orchestrator.Case{ID: "greet", Trial: n, Status: orchestrator.Complete, Score: &score}
	}
	reasons := []verifier.Score{{Name: "reward", Value: ptr(0.5)}, {Name: "style", Value: ptr(0.5), Criteria: []verifier.Criterion{{Name: "short", Value: ptr(0.0), Reasoning: "long-winded"}, {Name: "kind", Value: ptr(1.0)}}}}
	for _, c := range []expectation{
		{"all of it", scored(1), "full_score", why.None, false, true, []string{"full score, 1"}},
		{"nothing to score", with(scored(0), func(e *why.Evidence) { e.Trial.Case.Score = nil }), "no_score", why.None, false, true, nil},
		{"no evidence", scored(0), "unexplained", why.Unknown, true, true, []string{"nothing in the record explains it", "case.score = 0", "verifier.exit = 0"}},
		{"the last words of the tests", with(scored(0), func(e *why.Evidence) {
			e.Logs = []why.Log{{File: "verifier/stdout.log", Lines: []why.Line{{3, "1 failed"}}}}
		}), "unexplained", why.Unknown, true, true, []string{"verifier/stdout.log:3: 1 failed"}},
		{"reasons", with(scored(0.5), func(e *why.Evidence) { e.Trial.Case.Scores = reasons }), "judged", why.Agent, true, true, []string{"1 reason", "case.scores[1].criteria[0], short: value = 0: long-winded"}},
		{"a solution that is not one", oracle(scored(0.5)), "reference_failed", why.Task, true, true, []string{`lock.json: agent.kind = "oracle"`}},
		{"tests for which nothing is enough", with(scored(1), func(e *why.Evidence) { e.Lock.Agent.Kind = "nop" }), "nothing_done", why.Task, false, false, nil},
		{"nothing was asked for", with(scored(0), func(e *why.Evidence) { e.Lock = nil; e.Run.Candidate.Agent = "nop" }), "nothing_done", why.Unknown, false, false, []string{"run.json: candidate.agent"}},
		{"luck", run(scored(0), trial(1, 0), trial(2, 1), trial(3, 0)), "flaky", why.Unknown, false, false, []string{"1 of 2 other trials", "trial 2"}},
		{"luck with the solution", oracle(run(scored(0), trial(1, 0), trial(2, 1))), "flaky", why.Task, true, false, nil},
		{"what is reproduced came out otherwise", with(scored(0), func(e *why.Evidence) {
			e.Run.Reproduces = &orchestrator.Reproduction{Case: "greet", Was: orchestrator.Outcome{Status: "complete", Score: ptr(1.0)}}
		}), "flaky", why.Unknown, false, false, []string{"reproduces.was"}},
		{"several at a time", with(faulty(orchestrator.Fault{Code: "setup_failed", Step: "start", Message: "m"}), func(e *why.Evidence) {
			e.Beside = []why.Neighbour{{Folder: "a", Case: "a", Outcome: orchestrator.Outcome{Code: "setup_failed"}}, {Folder: "b", Case: "greet", Outcome: orchestrator.Outcome{Code: "setup_failed"}}}
		}), "failed_together", why.Machine, true, true, []string{"1 trial of other cases", "trials/a/trial.json"}},
	} {
		c.check(t)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	e := scored(0)
	r := e.Trial
	r.Restarts, r.Leaks, r.ClockGap, r.EngineRetries, r.EngineCalls = []string{"the agent's helper was killed"}, []string{"container 1"}, ptr(-7.0), 3, 40
	r.Case.Tries = []orchestrator.Try{{Code: "sandbox_lost", Message: "gone"}}
	r.Case.Warnings = []orchestrator.Warning{{Code: "min_reward", Message: "m"}, {Code: "reward_planted", Message: "there was something"}, {Code: "limits_not_enforced", Message: "no cgroups"}}
	r.Case.Steps = []orchestrator.StepResult{{Name: "one", Status: "complete"}, {Name: "two", Status: "skipped"}}
	r.Fakes = &orchestrator.FakesRecord{Violations: 1, FirstViolations: []string{"shop: no such tool"}}
	e.BesideCount, e.Beside = 9, []why.Neighbour{{Folder: "b", Outcome: orchestrator.Outcome{Status: "complete"}}}
	e.Refusals = []why.Refusal{{"egress.jsonl", 4, "pypi.org", 12}, {"egress-verifier.jsonl", 1, "deb.debian.org", 1}}
	for _, c := range []expectation{
		{"", e, "restarted", why.Unknown, false, false, []string{"restarts[0]"}},
		{"", e, "leaks", why.Machine, false, false, []string{"1 thing "}},
		{"", e, "clock_gap", why.Machine, false, false, []string{"-7"}},
		{"", e, "engine_retries", why.Machine, false, false, []string{"3 requests", "engine_calls = 40"}},
		{"", e, "earlier_tries", why.Machine, false, false, []string{"1 earlier try ", "sandbox_lost", "gone"}},
		{"", e, "reward_planted", why.Agent, false, false, []string{"case.warnings[1].code"}},
		{"", e, "limits_not_enforced", why.Machine, false, false, []string{"no cgroups"}},
		{"", e, "steps_skipped", why.Unknown, false, false, []string{"1 step never", "case.steps[1].status", "min_reward"}},
		{"", e, "fakes_violated", why.Task, false, false, []string{"shop: no such tool"}},
		{"", e, "beside", why.Machine, false, false, []string{"9 trials"}},
		{"", e, "egress_refused", why.Unknown, false, false, []string{"egress.jsonl:4: pypi.org, 12 times"}},
	} {
		c.check(t)
	}
	for _, f := range why.Diagnose(e) {
		if f.Code == why.EgressRefused && strings.Contains(f.Proof[0], "deb.debian.org") && f.Side != why.Task {
			t.Errorf("what the tests tried: %+v", f)
		}
	}
	if why.Diagnose(e)[0].Code != why.Unexplained {
		t.Error("facts are no reason")
	}
}

func TestOnlyOneOfWhatSaysTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, not string
		e         *why.Evidence
	}{
		{"our own kill is no signal from elsewhere", "agent_signal", cutOff(scored(0))},
		{"nor a failure", "agent_failed", cutOff(scored(0))},
		{"a load that the command made itself", "host_busy", squeezed(cutOff(scored(0)), shim.Pressure{LoadBefore: ptr(0.1), LoadAfter: ptr(50.0)})},
		{"a little throttling", "cpu_throttled", squeezed(cutOff(scored(0)), shim.Pressure{CPUPeriods: ptr(int64(100)), CPUThrottled: ptr(int64(19))})},
		{"numbers that contradict each other", "cpu_throttled", squeezed(cutOff(scored(0)), shim.Pressure{CPUPeriods: ptr(int64(1)), CPUThrottled: ptr(int64(19))})},
		{"trials of the same case", "failed_together", with(faulty(orchestrator.Fault{Code: "internal"}), func(e *why.Evidence) {
			e.Beside = []why.Neighbour{{Case: "greet", Outcome: orchestrator.Outcome{Code: "internal"}}}
		})},
		{"the rewards of the solution", "judged", oracle(with(scored(0), func(e *why.Evidence) { e.Trial.Case.Scores = []verifier.Score{{Name: "x", Value: ptr(0.0)}} }))},
		{"the reward alone is no reason", "judged", with(scored(0), func(e *why.Evidence) { e.Trial.Case.Scores = []verifier.Score{{Name: "reward", Value: ptr(0.0)}} })},
		{"an agent that was known to have ended badly is explained", "unexplained", cutOff(scored(0))},
	} {
		for _, f := range why.Diagnose(c.e) {
			if f.Code == c.not {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
	if len(why.Diagnose(faulty(orchestrator.Fault{Code: "verifier_timeout"}))) != 1 {
		t.Error("a fault that is told twice")
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestATextThatCannotBeWrittenIsTold(t *testing.T) {
	t.Parallel()
	if err := why.Of("greet", scored(1)).WriteText(broken{}); err == nil {
		t.Error("nothing was said")
	}
}
