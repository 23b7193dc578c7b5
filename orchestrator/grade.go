package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// plantedDir is where the helper puts what it found in the verifier's folder before grading, so that it is collected as evidence.
const plantedDir = "/logs/artifacts/planted-in-verifier"

// testsRun is how the tests ended.
type testsRun struct {
	res   *sidecar.Result
	sizes map[string]shim.Size
}

// script is what grades, as its container has it, and what it prints goes to.
type script struct {
	path, stdout, stderr string
	env                  map[string]string
	prep                 []shim.Prep
}

// script is the task's test script, or its evaluator: run is 1, or 2 for the second time.
func (s *site) script(run int) script {
	sc := script{path: "/tests/test.sh", stdout: s.step.host("verifier", "test-stdout.txt"), stderr: s.step.host("verifier", "test-stderr.txt"), env: s.step.plan.VerifierEnv}
	p := s.step.plan.Score
	if p == nil {
		return sc
	}
	sc.path, sc.env = path.Join("/tests", p.Spec.Custom.Script), maps.Clone(sc.env)
	maps.Copy(sc.env, p.evaluatorEnv(s.agentSeconds(), s.work.inWorkdir(p.Submission)))
	if run > 1 {
		sc.prep = []shim.Prep{{Op: "empty", Path: "/tmp", Mode: 0o777}} // nothing of the first run is left to it
		sc.stdout, sc.stderr = s.step.host("verifier", "test-stdout-2.txt"), s.step.host("verifier", "test-stderr-2.txt")
	}
	return sc
}

// verify runs the tests in a container that has only the agent's work in it: crossed puts that there, where it comes from another container. With put the
// task's tests are copied to /tests, which is new before that, as /logs/verifier is: whatever the agent made of these paths.
func (s *site) verify(ctx context.Context, put bool, crossed []shim.Prep, sc script) error {
	staged, err := s.stage(ctx, put)
	if err != nil {
		return err
	}
	env := map[string]string{}
	maps.Copy(env, s.env)
	maps.Copy(env, sc.env)
	s.testsPath(env)
	if err := s.use(ctx, s.step.plan.VerifierPolicy); err != nil {
		return err
	}
	s.throughProxy(env)
	limit := s.limit(PhaseVerifier)
	prep := slices.Concat(crossed, []shim.Prep{
		{Op: "mkdir", Path: "/logs/agent", Mode: 0o777}, {Op: "mkdir", Path: logArtifacts, Mode: 0o777}, s.verifierFolder(),
	}, staged, sc.prep, []shim.Prep{{Op: "executable", Path: sc.path}})
	spec := shim.Spec{Prepare: prep,
		Argv: []string{sc.path}, Script: true, User: s.step.plan.VerifierUser, DirFallback: "/",
		LimitMS: milliseconds(limit.Value), GraceMS: testsGrace.Milliseconds(), Head: streamHead, Tail: streamTail,
		Measure: []string{"/logs/agent", logArtifacts, "/logs/verifier"},
	}
	res, err := s.streamed(ctx, "verifier", sc.stdout, sc.stderr, spec, env)
	s.step.facts.Verifier = s.exec(res, err == nil, limit, sc.stdout, sc.stderr)
	s.step.rewards.tests = testsRun{res: res}
	if err != nil {
		var lost *sidecar.LostError
		if errors.As(err, &lost) && !lost.Engine {
			return &VerifierLost{Cause: err}
		}
		return err
	}
	s.step.rewards.tests.sizes = res.Measured
	if len(res.Kept) > 0 {
		s.warn("reward_planted", "the verifier's folder was not empty before the tests ran; what was in it is kept as artifacts/planted-in-verifier and counted for nothing")
	}
	for _, w := range res.Warnings {
		s.warn("verifier_"+w.Code, w.Detail)
	}
	if res.LeftoverCount > 0 {
		s.warn("verifier_leftovers", fmt.Sprintf("%d processes that the tests had started were ended after %s", res.LeftoverCount, path.Base(sc.path)))
	}
	if res.Survivors > 0 {
		return s.restart(ctx, fmt.Sprintf("%d processes of the tests could not be ended", res.Survivors))
	}
	return nil
}

// VerifierLost says that the tests' helper was killed: how they ended is unknown, so nothing that they wrote counts.
type VerifierLost struct{ Cause error }

func (e *VerifierLost) Error() string { return "how the tests ended is unknown: " + e.Cause.Error() }

func (e *VerifierLost) Unwrap() error { return e.Cause }

// verifierFolder makes the folder for rewards. Where the task has the tests run as another user than the agent, that user alone may write there, so that what
// an agent left running cannot; else it is open, as tests may switch users themselves.
func (s *site) verifierFolder() shim.Prep {
	p := shim.Prep{Op: "empty", Path: "/logs/verifier", Mode: 0o777}
	if s == s.work {
		p.Keep = plantedDir
	}
	agent, tests := s.commandUser(s.step.plan.AgentUser), s.commandUser(s.step.plan.VerifierUser)
	if s.step.apart == nil && agent != tests && !isRoot(agent) {
		p.Mode, p.Own = 0o755, true
	}
	return p
}

// stage copies tests and evidence into the container, in one go, and says how they get to their places.
func (s *site) stage(ctx context.Context, tests bool) ([]shim.Prep, error) {
	if !tests && s.plan.Fakes == nil {
		return nil, nil
	}
	hidden, shown := staging("tests"), staging("fakes")
	at, err := s.put(ctx, "", func(w io.Writer, prefix string) error {
		var trees []archive.Tree
		if tests {
			trees = s.step.plan.tests(s.plan.Task.Dir, path.Join(prefix, hidden))
		}
		if s.plan.Fakes != nil {
			trees = append(trees, archive.Tree{Root: s.dir.Path(s.evidence()), PackOptions: archive.PackOptions{Prefix: path.Join(prefix, shown)}})
		}
		return archive.PackTrees(w, trees...)
	})
	if err != nil {
		return nil, err
	}
	var prep []shim.Prep
	if tests {
		prep = append(prep, shim.Prep{Op: "replace", Path: "/tests", From: path.Join(at, hidden)})
	}
	return append(prep, s.showEvidence(path.Join(at, shown))...), nil
}

// grade runs the tests where they belong.
func (t *trial) grade(ctx context.Context) error {
	if a := t.step.apart; a != nil {
		if a.evaluates() {
			return a.evaluate(ctx)
		}
		if err := a.verify(ctx, a.bare, a.crossed, a.script(1)); err != nil {
			return &ApartError{Cause: err}
		}
		return nil
	}
	if t.step.plan.Score != nil {
		return t.score(ctx)
	}
	return t.work.verify(ctx, true, nil, t.work.script(1))
}

// collect brings what the tests left, and the agent's logs where they are in the same container.
func (t *trial) collect(ctx context.Context) error {
	if a := t.step.apart; a != nil {
		if err := a.fetchLogs(ctx, "/logs/verifier"); err != nil {
			return &ApartError{Cause: err}
		}
		if a.evaluates() {
			return t.evaluated()
		}
		return nil
	}
	fetch := func() error { return t.work.fetchLogs(ctx, "/logs") }
	if t.step.plan.Score != nil {
		fetch = func() error { // the verifier's folder is not the agent's to fill
			t.step.fetched, t.step.judged = true, true
			defer t.trajectory()
			t.work.fetchRest(ctx, "/logs/agent", logArtifacts)
			return nil
		}
	}
	const log = "egress.jsonl"
	if !t.last() || !t.work.gateDue(log) {
		return fetch()
	}
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { failed = t.work.gateFetch(ctx, log) }) // beside the other, since nothing is run any more
	err := fetch()
	wg.Wait()
	t.work.gateTell(log, failed)
	return err
}
