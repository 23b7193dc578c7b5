package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Replay is what stands in for the agent in some steps of a trial.
type Replay struct {
	// Trial is the folder of the trial that was recorded.
	Trial string
	// States are the files of end states by the names of steps; the agent does the others.
	States map[string]string
}

// replays finds the end states that are to be put in the place of an agent's work.
func (r *repro) replays() error {
	p := r.job.Plan
	if p.Agent.Kind != AgentReplay && r.At == "" {
		return nil
	}
	p.Replay = &Replay{Trial: r.Place.Folder(), States: map[string]string{}}
	if r.At != "" {
		if !p.MultiStep() {
			return &UsageError{Cause: errors.New("--at is for a task with steps, and this one has none")}
		}
		var names []string
		for i := range p.Steps {
			names = append(names, p.Steps[i].Part.Name)
		}
		if !slices.Contains(names, r.At) {
			return &UsageError{Cause: fmt.Errorf("--at %s: the task has no such step; it has %s", r.At, someOf(names))}
		}
	}
	for i := range p.Steps {
		step := p.Steps[i].Part.Name
		if r.At != "" && step == r.At {
			break
		}
		file, err := r.state(step)
		if err != nil {
			return err
		}
		p.Replay.States[step] = file
	}
	return nil
}

// state is the file of a step's end state, which must be what was recorded.
func (r *repro) state(step string) (string, error) {
	what := "the trial"
	if step != "" {
		what = "step " + step
	}
	for _, c := range r.was.Captures {
		if c.Step != step {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(c.Path)) || path.Base(c.Path) != endStateName {
			return "", &UsageError{Cause: fmt.Errorf("lock.json says that the end state of %s is at %q, where none can be", what, c.Path)}
		}
		file := filepath.Join(r.Place.Folder(), filepath.FromSlash(c.Path))
		sum, err := regular.SHA256(file)
		if err != nil {
			return "", &UsageError{Cause: fmt.Errorf("the end state of %s cannot be read: %w", what, err)}
		}
		if sum != c.SHA256 {
			return "", &UsageError{Cause: fmt.Errorf("%s is not the end state that was recorded: its content has changed", file)}
		}
		return file, nil
	}
	return "", &UsageError{Cause: fmt.Errorf("no end state of %s was kept: run it with --capture, or reproduce it with --agent oracle, nop or the recorded one", what)}
}

// replayed is the file that stands in for the agent in the current step; empty where the agent works itself.
func (t *trial) replayed() string {
	if t.plan.Replay == nil || t.step == nil {
		return ""
	}
	return t.plan.Replay.States[t.stepName()]
}

// replay makes the agent's container what it was at the end of the agent's work in the recorded trial.
func (t *trial) replay(ctx context.Context) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	s, err := openEndState(t.replayed())
	if err != nil {
		return err
	}
	defer s.close()
	if len(s.removed) > 0 {
		if err := t.drop(ctx, s.removed); err != nil {
			return err
		}
	}
	// It is read once, so that it is not sent a second time as other transfers are.
	err = archive.Pipe(s.rest, func(r io.Reader) error { return t.work.box.Restore(ctx, stack.Main, r) })
	if err != nil {
		return fmt.Errorf("put the recorded end state in its place: %w", err)
	}
	return nil
}

// drop removes paths in the agent's container.
func (t *trial) drop(ctx context.Context, paths []string) error {
	var list bytes.Buffer
	for _, p := range paths {
		if p = path.Clean(p); len(p) < shim.ListLongest && !ours(p) {
			list.WriteString(string(rune(shim.ListPath)) + p + "\x00")
		}
	}
	at, err := t.work.put(ctx, staging("removed"), func(w io.Writer, prefix string) error {
		return archive.Write(w, archive.Item{Name: prefix, Data: list.Bytes(), Mode: 0o600})
	})
	if err != nil {
		return err
	}
	said := &tail{max: 4 << 10}
	res, err := t.work.box.Run(ctx, sidecar.Command{Service: stack.Main, Stdout: said, Stderr: said, Spec: shim.Spec{Argv: []string{shim.Path, "drop", at}, LimitMS: captureLimit.Milliseconds(), GraceMS: 500}})
	if err != nil {
		return err
	}
	if res.Start != nil || res.Exit != 0 {
		return fmt.Errorf("remove what the agent had removed: %s", strings.TrimSpace(string(said.Bytes())))
	}
	return nil
}

// recordedEvidence takes the fakes' evidence of the recorded trial for this one's, in which nobody called them.
func (t *trial) recordedEvidence() error {
	for _, dir := range []string{t.evidence(), "artifacts/fakes"} {
		if !t.last() && dir != t.evidence() || dir != t.evidence() && !t.plan.MultiStep() {
			continue
		}
		files, err := t.copyEvidence(dir)
		if err != nil {
			return &EvidenceError{Cause: fmt.Errorf("of the recorded trial: %w", err)}
		}
		if dir == "artifacts/fakes" {
			for _, f := range files {
				t.rec.Case.Artifacts.Fakes = append(t.rec.Case.Artifacts.Fakes, path.Join("trials", t.plan.Folder, f))
			}
		}
	}
	t.frozen = t.frozen || t.last()
	return t.readEvidence(t.evidence())
}

// evidenceMost bounds a file of evidence, in bytes.
const evidenceMost = 1 << 30

func (t *trial) copyEvidence(dir string) ([]string, error) {
	root, err := os.OpenRoot(t.plan.Replay.Trial)
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by the caller
	}
	defer root.Close()
	list, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by the caller
	}
	if err := t.dir.Make(dir); err != nil {
		return nil, err
	}
	var files []string
	for _, e := range list {
		data, err := regular.ReadIn(root, path.Join(dir, e.Name()), evidenceMost)
		if err != nil {
			return nil, err
		}
		if err := t.dir.Write(path.Join(dir, e.Name()), data); err != nil {
			return nil, err
		}
		t.dir.Protect(path.Join(dir, e.Name()))
		files = append(files, path.Join(dir, e.Name()))
	}
	return files, nil
}
