package orchestrator

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// apart is a separate verifier's stack while a step is graded in it.
type apart struct {
	site
	plan    *GraderPlan
	crossed []shim.Prep // puts the artifacts that came over at their places
	bare    bool        // its image holds no tests, so that they are put there
}

// evaluates says whether what runs in the stack is a task's own evaluator, rather than its tests.
func (a *apart) evaluates() bool { return a.step.plan.Score != nil }

// newApart is the stack for the tests of step i; nil where they run in the agent's.
func (t *trial) newApart(i int) *apart {
	g := t.plan.Steps[i].Grader
	if g == nil {
		return nil
	}
	name := t.id + "-" + t.plan.graderName(i)
	return &apart{plan: g, site: site{trial: t, name: name, spec: g.Spec, folder: g.Workdir, env: g.Env, gate: g.Gate, images: map[string]imageFacts{}}}
}

// graderName names the stack for the tests of step i among the trial's.
func (p *Plan) graderName(i int) string {
	if p.MultiStep() {
		return fmt.Sprintf("verifier-%d", i+1)
	}
	return "verifier"
}

// setApart starts the tests' own stack, copies over what may cross, and then puts the agent's out of the way: it is removed, or frozen if a step comes after
// this one. Nothing of the agent's runs while it is graded.
func (t *trial) setApart(ctx context.Context) error {
	a := t.step.apart
	if err := t.flush(ctx); err != nil {
		return err
	}
	if err := t.work.box.Pause(ctx); err != nil { // nothing changes while it is copied
		return fmt.Errorf("freeze the agent's containers: %w", err)
	}
	if err := a.start(ctx); err != nil {
		return err
	}
	if err := a.cross(ctx); err != nil {
		return err
	}
	t.work.fetchRest(ctx, "/logs/agent", logArtifacts)
	t.step.fetched = true
	t.trajectory()
	if !t.last() || t.Keep != "" || t.Look.at(PhaseTeardown) {
		return nil // it is frozen
	}
	t.work.gateLog(ctx, "egress.jsonl")
	t.work.box.Leave()
	t.work.box = nil
	if err := t.Engine.Down(ctx, t.work.name); err != nil {
		return fmt.Errorf("remove the agent's containers before they are graded: %w", err)
	}
	t.removed(t.work.name)
	return nil
}

// removed notes that a stack is gone.
func (t *trial) removed(name string) {
	t.begun = slices.DeleteFunc(t.begun, func(n string) bool { return n == name })
}

// start brings the stack up and sees that it is healthy.
func (a *apart) start(ctx context.Context) error {
	if err := a.up(ctx, a.key); err != nil {
		return &ApartError{Cause: err}
	}
	if err := a.ready(ctx); err != nil {
		return &ApartError{Cause: err}
	}
	return nil
}

func (a *apart) ready(ctx context.Context) error {
	if err := a.gateReady(ctx); err != nil {
		return err
	}
	if err := a.awaitEntrypoint(ctx); err != nil {
		return err
	}
	if a.plan.Upload {
		dir := filepath.Join(a.trial.plan.Task.Dir, filepath.FromSlash(a.step.plan.Part.Tests[0]))
		if err := a.intoWorkdir(ctx, dir); err != nil {
			return err
		}
	}
	if a.spec.Tools {
		if err := a.box.Tools(ctx); err != nil {
			return err
		}
	}
	if a.evaluates() {
		a.bare = true
		return nil
	}
	there, err := a.box.Exists(ctx, stack.Main, "/tests/test.sh")
	if err != nil {
		return err
	}
	if a.bare = !there && len(a.step.plan.Part.Tests) > 0; a.bare {
		a.warn("tests_put", "the verifier's image holds no /tests/test.sh, so the task's tests were put there; Harbor would not")
	}
	return a.healthcheck(ctx, a.plan.Healthcheck, a.step.plan.VerifierUser)
}

// key names a service of the stack in the record.
func (a *apart) key(service string) string {
	return a.prefix() + service
}

// cross copies the artifacts from the agent's stack to the tests', without a stop on the host: what is on the host has secrets hidden in it. They wait in the
// tool's own folder until the tests begin. What is missing, or cannot cross, is recorded, and decides nothing.
func (a *apart) cross(ctx context.Context) error {
	var refused []string
	_, err := a.put(ctx, "", func(w io.Writer, prefix string) error {
		a.crossed, refused = nil, nil // it may be the second try
		out := tar.NewWriter(w)
		for _, art := range a.plan.Artifacts {
			hidden := staging("artifact")
			to, not, err := a.pass(ctx, art, out, path.Join(prefix, hidden))
			if err != nil {
				return err
			}
			refused = append(refused, not...)
			if to != "" {
				a.crossed = append(a.crossed, shim.Prep{Op: "replace", Path: to, From: path.Join(ownDir, hidden)})
			}
		}
		return out.Close()
	})
	for _, why := range refused {
		a.warn("artifact_refused", why)
	}
	return err
}

// What may cross of one artifact: an agent's work may be large, and a disk is not endless.
const (
	crossBytes   = 16 << 30
	crossEntries = 1_000_000
)

// pass copies one artifact into the archive, and says where it belongs (empty = nowhere, there is none) and what of it did not cross.
func (a *apart) pass(ctx context.Context, art task.Artifact, out *tar.Writer, to string) (place string, refused []string, err error) {
	source := a.work.inWorkdir(art.Source)
	if trusted(path.Clean(source)) {
		return "", []string{source + " would replace what grades the agent, and did not cross"}, nil
	}
	rc, err := a.work.box.Fetch(ctx, cmp.Or(art.Service, stack.Main), source)
	if errdefs.IsNotFound(err) {
		return "", nil, nil // as recorded when it was to be kept
	}
	if err != nil {
		return "", nil, err
	}
	defer rc.Close()
	got, err := archive.Relay(rc, out, archive.RelayOptions{To: to, Bytes: crossBytes, Entries: crossEntries, ReadOnly: a.step.plan.Score != nil,
		Exclude: func(name string) bool { return excluded(name, art.Exclude) }})
	if full := new(archive.LimitError); errors.As(err, &full) {
		return "", append(got.Skipped, fmt.Sprintf("%s did not cross to the tests: %v", source, full)), nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("copy artifact %s: %w", source, err)
	}
	if got.Files+got.Folders == 0 {
		return "", got.Skipped, nil
	}
	return path.Clean(source), got.Skipped, nil
}

// resume lets the agent's stack go on after a step was graded elsewhere.
func (t *trial) resume(ctx context.Context) error {
	if err := t.work.box.Unpause(ctx); err != nil {
		return fmt.Errorf("let the agent's containers go on: %w", err)
	}
	return nil
}

// ApartError says that the tests' own stack could not be had.
type ApartError struct{ Cause error }

func (e *ApartError) Error() string { return "the verifier's environment: " + e.Cause.Error() }

func (e *ApartError) Unwrap() error { return e.Cause }
