package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// These are the ways that a trial can go on the pretended engine, one after another as in docs/failures.md; they are long and one list.

const (
	allPhases = "build start agent verifier collect rewards teardown"
	noScore   = -1
)

// ending is how a trial is expected to come out.
type ending struct {
	score    float64 // noScore = none
	derived  bool
	code     string // empty = complete
	phase    string
	service  string
	warnings []string
	phases   string // that began; empty = all
	restarts int
}

func check(t *testing.T, h *house, rec *orchestrator.TrialRecord, want ending) {
	t.Helper()
	c := &rec.Case
	got := ending{score: noScore, derived: c.ScoreDerived, warnings: codes(rec), phases: h.phases(), restarts: len(rec.Restarts)}
	if c.Score != nil {
		got.score = *c.Score
	}
	if c.Error != nil {
		got.code, got.phase, got.service = c.Error.Code, c.Error.Phase, c.Error.Service
	}
	if want.phases == "" {
		want.phases = allPhases
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ending{})); diff != "" {
		t.Errorf("the trial came out differently (-want +got):\n%s", diff)
		if c.Error != nil {
			t.Logf("its error: %s", c.Error.Message)
		}
		for _, w := range c.Warnings {
			t.Logf("warning %s: %s", w.Code, w.Message)
		}
	}
}

// TestTrialOutcomes is the one table of how a trial comes out. It is long because a way to end is a row, and stays whole so that a missing one is seen.
func TestTrialOutcomes(t *testing.T) {
	pass := reward(`{"reward": 1}`)
	for _, c := range []struct {
		name   string
		task   string // empty = plain
		scene  scene
		change []func(*orchestrator.Options)
		want   ending
	}{
		{
			name:  "tests that write 1 give a score of 1",
			scene: scene{agent: takes(2 * time.Second), tests: acts(takes(time.Second), pass)},
			want:  ending{score: 1},
		},
		{
			name:  "partial rewards are recorded as they are",
			scene: scene{tests: reward(`{"reward": 0.25, "style": 0.5}`)},
			want:  ending{score: 0.25},
		},
		{
			name:  "rewards without a total give their mean",
			scene: scene{tests: reward(`{"a": 0.25, "b": 0.75}`)},
			want:  ending{score: 0.5, derived: true},
		},
		{
			name:  "reward.txt is taken where there is no reward.json",
			scene: scene{tests: writes("/logs/verifier/reward.txt", "0.5\n")},
			want:  ending{score: 0.5, warnings: []string{"reward_txt"}},
		},
		{
			name:   "an agent that does nothing is graded",
			scene:  scene{tests: reward(`{"reward": 0}`)},
			change: []func(*orchestrator.Options){nop},
			want:   ending{score: 0},
		},
		{
			name:  "an agent that exits with an error is graded",
			scene: scene{agent: exits(3), tests: pass},
			want:  ending{score: 1, warnings: []string{"agent_error"}},
		},
		{
			name:  "an agent that is killed by a signal is graded",
			scene: scene{agent: signalled("SIGKILL", 137), tests: pass},
			want:  ending{score: 1, warnings: []string{"agent_error"}},
		},
		{
			name:  "an agent that runs into its limit is graded",
			scene: scene{agent: hangs(), tests: pass},
			want:  ending{score: 1, warnings: []string{"agent_timed_out"}},
		},
		{
			name:  "an agent's limit is the reason when the tests then leave no reward",
			scene: scene{agent: hangs(), tests: exits(1)},
			want:  ending{score: noScore, code: "agent_timeout", phase: "agent", warnings: []string{"agent_timed_out"}},
		},
		{
			name:  "an agent's limit does not excuse a broken reward",
			scene: scene{agent: hangs(), tests: reward(`{"reward": 7}`)},
			want:  ending{score: noScore, code: "reward_invalid", phase: "rewards", warnings: []string{"agent_timed_out"}},
		},
		{
			name:  "an agent that never starts is not graded",
			scene: scene{agent: neverStarts(shim.StartNotFound, "no such file"), tests: pass},
			want:  ending{score: noScore, code: "agent_error", phase: "agent", phases: "build start agent teardown"},
		},
		{
			name:  "tests that run into their limit leave no evidence, whatever they wrote",
			scene: scene{tests: acts(pass, hangs())},
			want:  ending{score: noScore, code: "verifier_timeout", phase: "verifier"},
		},
		{
			name:  "tests that never start are the verifier's error",
			scene: scene{tests: neverStarts(shim.StartCRLF, "a carriage return")},
			want:  ending{score: noScore, code: "verifier_error", phase: "verifier"},
		},
		{
			name:  "tests whose helper is killed leave no evidence",
			scene: scene{tests: acts(pass, fails(helperLost()))},
			want:  ending{score: noScore, code: "verifier_error", phase: "verifier", phases: "build start agent verifier teardown"},
		},
		{
			name:  "tests that fail and leave a valid reward are complete",
			scene: scene{tests: acts(pass, exits(1))},
			want:  ending{score: 1, warnings: []string{"verifier_exit"}},
		},
		{
			name:  "tests that write nothing leave the reward missing",
			scene: scene{tests: prints("all good\n")},
			want:  ending{score: noScore, code: "reward_missing", phase: "verifier"},
		},
		{
			name:  "a reward outside of 0 to 1 is invalid",
			scene: scene{tests: reward(`{"reward": 1.5}`)},
			want:  ending{score: noScore, code: "reward_invalid", phase: "rewards"},
		},
		{
			name:  "an unknown version of the contract is refused before any value is read",
			scene: scene{tests: acts(writes("/logs/verifier/contract.json", `{"rewards": 9}`), pass)},
			want:  ending{score: noScore, code: "contract_unsupported", phase: "rewards"},
		},
		{
			name:   "any numbers are taken as they are when the user says so",
			scene:  scene{tests: reward(`{"found": 12}`)},
			change: []func(*orchestrator.Options){func(o *orchestrator.Options) { o.Rewards = "harbor" }},
			want:   ending{score: 12},
		},
		{
			name:  "an agent whose helper is killed is graded after a restart",
			scene: scene{agent: acts(takes(time.Second), fails(helperLost())), tests: pass},
			want:  ending{score: 1, warnings: []string{"agent_error", "container_restarted"}, restarts: 1},
		},
		{
			name:  "an agent whose processes cannot be ended is graded after a restart",
			scene: scene{agent: leaves(2, 2), tests: pass},
			want:  ending{score: 1, warnings: []string{"container_restarted"}, restarts: 1},
		},
		{
			name:  "processes that the tests leave behind are told of",
			scene: scene{tests: acts(pass, leaves(0, 3))},
			want:  ending{score: 1, warnings: []string{"verifier_leftovers"}},
		},
		{
			name: "a restart that fails ends the trial",
			scene: scene{agent: fails(helperLost()), tests: pass,
				restart: func(context.Context) error { return errors.New("start service main again: no space") }},
			want: ending{score: noScore, code: "internal", phase: "agent", warnings: []string{"agent_error", "container_restarted"}, restarts: 1,
				phases: "build start agent teardown"},
		},
		{
			name:  "a reward that the agent planted counts for nothing",
			scene: scene{agent: reward(`{"reward": 1}`), tests: exits(0)},
			want:  ending{score: noScore, code: "reward_missing", phase: "verifier", warnings: []string{"reward_planted"}},
		},
		{
			name:  "a planted reward does not change the tests' own",
			scene: scene{agent: reward(`{"reward": 1}`), tests: reward(`{"reward": 0.5}`)},
			want:  ending{score: 0.5, warnings: []string{"reward_planted"}},
		},
		{
			name:  "a container that dies under the agent is lost",
			scene: scene{agent: fails(dead("main")), tests: pass},
			want:  ending{score: noScore, code: "sandbox_lost", phase: "agent", service: "main", phases: "build start agent teardown"},
		},
		{
			name:  "a container that dies under the tests is lost",
			scene: scene{tests: acts(pass, fails(dead("main")))},
			want:  ending{score: noScore, code: "sandbox_lost", phase: "verifier", service: "main", phases: "build start agent verifier teardown"},
		},
		{
			name:  "a sidecar that dies under the agent is the reason",
			task:  "beside",
			scene: scene{agent: fails(dead("store")), tests: pass},
			want:  ending{score: noScore, code: "sidecar_failed", phase: "agent", service: "store", phases: "build start agent teardown"},
		},
		{
			name:  "a sidecar that dies under the tests is the reason",
			task:  "beside",
			scene: scene{tests: acts(pass, fails(dead("store")))},
			want:  ending{score: noScore, code: "sidecar_failed", phase: "verifier", service: "store", phases: "build start agent verifier teardown"},
		},
		{
			name:  "a sidecar that dies before the agent starts is the reason",
			task:  "beside",
			scene: scene{up: func(context.Context, *fakeBox) error { return dead("store") }},
			want:  ending{score: noScore, code: "sidecar_failed", phase: "setup", service: "store", phases: "build start teardown"},
		},
		{
			name:  "a container that does not start is a failed set-up",
			scene: scene{up: func(context.Context, *fakeBox) error { return dead("main") }},
			want:  ending{score: noScore, code: "setup_failed", phase: "setup", service: "main", phases: "build start teardown"},
		},
		{
			name: "a sidecar that is not ready in time is the reason, with the limit",
			task: "beside",
			scene: scene{up: func(ctx context.Context, _ *fakeBox) error {
				err := forever(ctx)
				return &sidecar.DeadError{Service: "store", Why: "not_ready", Limit: 120 * time.Second, Cause: err}
			}},
			want: ending{score: noScore, code: "sidecar_failed", phase: "setup", service: "store", phases: "build start teardown"},
		},
		{
			name:  "an environment whose health check keeps failing is a failed set-up",
			task:  "beside",
			scene: scene{health: acts(complains("not yet\n"), exits(1))},
			want:  ending{score: noScore, code: "setup_failed", phase: "setup", phases: "build start teardown"},
		},
		{
			name:  "a health check that hangs counts as a failure each time",
			task:  "beside",
			scene: scene{health: hangs()},
			want:  ending{score: noScore, code: "setup_failed", phase: "setup", phases: "build start teardown"},
		},
		{
			name: "a build that fails is the task's",
			scene: scene{image: func(context.Context, orchestrator.Source, io.Writer) error {
				return &images.BuildError{Reason: images.StepExit, Dockerfile: "Dockerfile", Line: 2, Step: "RUN make", ExitCode: 2, LastLines: []string{"make: no rule"}}
			}},
			want: ending{score: noScore, code: "build_failed", phase: "setup", phases: "build teardown"},
		},
		{
			name: "a full disk under a build is the machine's",
			scene: scene{image: func(context.Context, orchestrator.Source, io.Writer) error {
				return &images.BuildError{Reason: images.OtherFailure, Dockerfile: "Dockerfile", Cause: &images.NoSpaceError{Cause: errors.New("no space left on device")}}
			}},
			want: ending{score: noScore, code: "setup_failed", phase: "setup", phases: "build teardown"},
		},
		{
			name: "an image that cannot be pulled is a failed set-up",
			task: "beside",
			scene: scene{image: func(_ context.Context, src orchestrator.Source, _ io.Writer) error {
				if src.Ref != "" && src.Build == nil {
					return &images.PullError{Ref: src.Ref, Reason: images.NotFound, Cause: errors.New("manifest unknown")}
				}
				return nil
			}},
			want: ending{score: noScore, code: "setup_failed", phase: "setup", phases: "build teardown"},
		},
		{
			name:  "a build that does not end runs into its limit",
			scene: scene{image: func(ctx context.Context, _ orchestrator.Source, _ io.Writer) error { return forever(ctx) }},
			want:  ending{score: noScore, code: "setup_timeout", phase: "setup", phases: "build teardown"},
		},
		{
			name:  "a start that does not end runs into its limit",
			scene: scene{up: func(ctx context.Context, _ *fakeBox) error { return forever(ctx) }},
			want:  ending{score: noScore, code: "setup_timeout", phase: "setup", phases: "build start teardown"},
		},
		{
			name:  "an engine that goes away under the agent loses the sandbox",
			scene: scene{agent: fails(engineGone()), tests: pass},
			want:  ending{score: noScore, code: "sandbox_lost", phase: "agent", phases: "build start agent teardown"},
		},
		{
			name:  "an engine that goes away under the tests loses the sandbox",
			scene: scene{tests: acts(pass, fails(engineGone()))},
			want:  ending{score: noScore, code: "sandbox_lost", phase: "verifier", phases: "build start agent verifier teardown"},
		},
		{
			name: "an engine that is unusable when the stack is to start loses the sandbox",
			scene: scene{up: func(context.Context, *fakeBox) error {
				return &sidecar.UnusableError{Host: "unix:///x", Source: "default", Reason: "gone"}
			}},
			want: ending{score: noScore, code: "sandbox_lost", phase: "setup", phases: "build start teardown"},
		},
		{
			name:  "files that cannot be put into the container end the trial",
			scene: scene{put: func(context.Context) error { return errors.New("the engine's disk is read-only") }},
			want:  ending{score: noScore, code: "internal", phase: "agent", phases: "build start agent teardown"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				name := c.task
				if name == "" {
					name = "plain"
				}
				h := newHouse(t, c.scene)
				rec := h.play(t.Context(), t, planOf(t, name, c.change...))
				check(t, h, rec, c.want)
				h.removedOnce(t, rec)
			})
		})
	}
}

// removedOnce sees that exactly the trial was removed, once, if anything of it can have been made.
func (h *house) removedOnce(t *testing.T, rec *orchestrator.TrialRecord) {
	t.Helper()
	var want []string
	if strings.Contains(h.phases(), "start") {
		want = []string{rec.TrialID}
	}
	if diff := cmp.Diff(want, h.eng.downs); diff != "" {
		t.Errorf("removed trials (-want +got):\n%s", diff)
	}
}

func TestFaultSaysWhatAPersonNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: acts(prints("one\ntwo\n"), complains("three\n"), exits(5))})
		f := h.play(t.Context(), t, planOf(t, "plain")).Case.Error
		if f == nil || f.Exit == nil || *f.Exit != 5 {
			t.Fatalf("the fault has no exit code: %+v", f)
		}
		if diff := cmp.Diff([]string{"one", "two", "three"}, f.Lines); diff != "" {
			t.Errorf("last lines (-want +got):\n%s", diff)
		}
	})
}

func TestTimesAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{
			image: func(ctx context.Context, _ orchestrator.Source, _ io.Writer) error { return wait(ctx, 7*time.Second) },
			up:    func(ctx context.Context, _ *fakeBox) error { return wait(ctx, 2*time.Second) },
			agent: takes(5 * time.Second), tests: acts(takes(3*time.Second), reward(`{"reward": 1}`)),
			fetch: func(ctx context.Context, _ string) error { return wait(ctx, 500*time.Millisecond) },
			down:  func(ctx context.Context) error { return wait(ctx, time.Second) },
		})
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		f := func(v float64) *float64 { return &v }
		want := orchestrator.Timing{Build: f(7), Start: f(2), Setup: f(9), Agent: f(5), Collect: f(0.5), Verifier: f(3), Teardown: f(1), Total: 18.5}
		if diff := cmp.Diff(want, rec.Case.Timing); diff != "" {
			t.Errorf("timing (-want +got):\n%s", diff)
		}
		if got := rec.FinishedAt.Sub(rec.StartedAt).Seconds(); got != 18.5 {
			t.Errorf("from start to end there are %v s", got)
		}
		if rec.Agent.Seconds != 5 || rec.Verifier.Seconds != 3 {
			t.Errorf("the agent took %v s, the tests %v s", rec.Agent.Seconds, rec.Verifier.Seconds)
		}
		if rec.ClockGap != nil {
			t.Errorf("a clock gap of %v s where there is none", *rec.ClockGap)
		}
	})
}

func TestCommandLimitsAreExact(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*orchestrator.Options)
		agent  int64 // ms
		tests  int64
	}{
		{"the task's limits hold", func(*orchestrator.Options) {}, 60_000, 30_000},
		{"flags win over the task", func(o *orchestrator.Options) { o.AgentTimeout, o.VerifierTimeout = time.Second, 1500*time.Millisecond }, 1000, 1500},
		{"the factor scales both", func(o *orchestrator.Options) { o.TimeoutMultiplier = 2 }, 120_000, 60_000},
		{"a limit below a millisecond is still a limit", func(o *orchestrator.Options) {
			o.AgentTimeout, o.VerifierTimeout = 500*time.Microsecond, time.Nanosecond
		}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
				h.play(t.Context(), t, planOf(t, "plain", c.change))
				box := h.eng.all[0]
				agent, tests := box.commands("/solution/solve.sh"), box.commands("/tests/test.sh")
				if len(agent) != 1 || agent[0].Spec.LimitMS != c.agent {
					t.Errorf("the agent's command: %+v, want a limit of %d ms", agent, c.agent)
				}
				if len(tests) != 1 || tests[0].Spec.LimitMS != c.tests {
					t.Errorf("the tests' command: %+v, want a limit of %d ms", tests, c.tests)
				}
			})
		})
	}
}

func TestAnAgentCutOffLeavesItsOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{agent: acts(prints("half a"), hangs()), tests: reward(`{"reward": 0.5}`)})
		p := planOf(t, "plain")
		rec := h.play(t.Context(), t, p)
		want := "half a\n[seatrial: ended by the agent limit of 1m0s]\n"
		if got := h.file(t, p, "agent", "stdout.log"); got != want {
			t.Errorf("stdout.log = %q, want %q", got, want)
		}
		if rec.Agent.Limit != "term" || rec.Agent.Seconds != 60 || rec.Agent.Exit == nil {
			t.Errorf("the agent's record is %+v", rec.Agent)
		}
	})
}

func TestStartedContainersAndImagesAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		rec := h.play(t.Context(), t, planOf(t, "beside"))
		for _, service := range []string{"main", "store"} {
			if rec.Images[service] == "" || rec.Containers[service] == "" {
				t.Errorf("service %s: image %q, container %q", service, rec.Images[service], rec.Containers[service])
			}
		}
	})
}

func TestInEndsAPhaseAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := orchestrator.Limit{Phase: orchestrator.PhaseStart, Value: 3 * time.Second, Source: "test"}
		took, err := orchestrator.In(t.Context(), l, forever)
		var timeout *orchestrator.TimeoutError
		if !errors.As(err, &timeout) || took != 3*time.Second || timeout.Elapsed != 3*time.Second {
			t.Errorf("took %v, error %v", took, err)
		}
		want := "start: the start phase ran into its limit of 3s (test)"
		if err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if took, err = orchestrator.In(t.Context(), l, func(ctx context.Context) error { return wait(ctx, time.Second) }); took != time.Second || err != nil {
			t.Errorf("a phase that ends in time: took %v, error %v", took, err)
		}
		boom := errors.New("boom")
		_, err = orchestrator.In(t.Context(), l, func(context.Context) error { return fmt.Errorf("here: %w", boom) })
		var phase *orchestrator.PhaseError
		if !errors.As(err, &phase) || !errors.Is(err, boom) || errors.As(err, &timeout) {
			t.Errorf("a phase that fails by itself: %v", err)
		}
	})
}

func TestTheToolsOwnMarkIsNotTheTestsLastLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: acts(prints("waiting for the server\n"), hangs())})
		f := h.play(t.Context(), t, planOf(t, "plain")).Case.Error
		if f == nil || strings.Contains(f.Message, "[seatrial:") || !strings.Contains(f.Message, "waiting for the server") {
			t.Errorf("the fault is %+v", f)
		}
	})
}
