package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

// EvidenceError says that the fakes' evidence is missing or contradicts itself. No verdict can stand on it.
type EvidenceError struct{ Cause error }

func (e *EvidenceError) Error() string { return "the fakes' evidence: " + e.Cause.Error() }

func (e *EvidenceError) Unwrap() error { return e.Cause }

// keepEvidence brings the fakes' evidence of the current step to its folder, straight from their own container. With the last step they are frozen; before
// that, they play on after a snapshot.
func (t *trial) keepEvidence(ctx context.Context) error {
	if t.plan.Fakes == nil {
		return nil
	}
	if t.replayed() != "" {
		return t.recordedEvidence()
	}
	if !t.plan.MultiStep() {
		return t.freezeFakes(ctx)
	}
	name := t.step.snapshot()
	if err := t.tellFakes(ctx, "step", name); err != nil {
		return err
	}
	from := "artifacts/fakes"
	if t.last() {
		if err := t.freezeFakes(ctx); err != nil {
			return err
		}
	} else {
		from = t.step.host("fakes-so-far")
		defer func() { _ = t.dir.Root().RemoveAll(from) }()
		if _, err := t.fetchEvidence(ctx, from); err != nil {
			return err
		}
	}
	before := ""
	if i := t.step.plan.Part.Step; i > 0 {
		before = snapshotOf(&t.plan.Steps[i-1])
	}
	to := t.evidence()
	if err := evidence.Slice(t.dir.Path(from), t.dir.Path(to), t.step.plan.Part.Step+1, before, name); err != nil {
		return &EvidenceError{Cause: err}
	}
	files, err := fs.ReadDir(t.dir.Root().FS(), to)
	if err != nil {
		return fmt.Errorf("evidence of step %s: %w", t.stepName(), err)
	}
	for _, f := range files {
		t.dir.Protect(path.Join(to, f.Name()))
	}
	return t.readEvidence(to)
}

// last says whether no step comes after the current one.
func (t *trial) last() bool { return t.step.plan == &t.plan.Steps[len(t.plan.Steps)-1] }

// evidence is where the current step's is below the trial's folder.
func (t *trial) evidence() string { return t.step.host("artifacts", "fakes") }

func (s *step) snapshot() string { return snapshotOf(s.plan) }

// snapshotOf names the fakes' snapshot at the end of a step: by the step's name where that can be part of a file's.
func snapshotOf(s *StepPlan) string {
	if ok, _ := regexp.MatchString(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`, s.Part.Name); ok {
		return s.Part.Name
	}
	return "number-" + strconv.Itoa(s.Part.Step+1)
}

// tellFakes runs a verb of their control that must succeed.
func (t *trial) tellFakes(ctx context.Context, verb ...string) error {
	out, res, err := t.control(ctx, verb...)
	if err != nil {
		return err
	}
	if res.Start != nil || res.Exit != 0 {
		return &EvidenceError{Cause: fmt.Errorf("the fakes did not %s (exit code %d): %s", strings.Join(verb, " "), res.Exit, out)}
	}
	return nil
}

// freezeFakes ends what can be done to the fakes and brings their whole evidence to the trial's folder.
func (t *trial) freezeFakes(ctx context.Context) error {
	t.frozen = true
	if err := t.endFakes(ctx); err != nil {
		return err
	}
	files, err := t.fetchEvidence(ctx, "artifacts/fakes")
	if err != nil {
		return err
	}
	for _, f := range files {
		t.rec.Case.Artifacts.Fakes = append(t.rec.Case.Artifacts.Fakes, path.Join("trials", t.plan.Folder, f))
	}
	slices.Sort(t.rec.Case.Artifacts.Fakes)
	if t.plan.MultiStep() {
		_, err := evidence.Open(t.dir.Path("artifacts", "fakes")) // what happened is counted from each step's
		if err != nil {
			return &EvidenceError{Cause: err}
		}
		return nil
	}
	return t.readEvidence("artifacts/fakes")
}

// fetchEvidence unpacks the fakes' folder below the trial's, and returns the files, which nothing from the agent's container replaces from now on.
func (t *trial) fetchEvidence(ctx context.Context, to string) ([]string, error) {
	rc, err := t.work.box.Fetch(ctx, t.plan.Fakes.Service, fakesOut)
	if err != nil {
		return nil, &EvidenceError{Cause: err}
	}
	defer rc.Close()
	list, err := archive.Unpack(rc, t.dir.Root(), archive.UnpackOptions{Routes: map[string]string{path.Base(fakesOut): to}, Limits: logLimits()})
	if err != nil {
		return nil, &EvidenceError{Cause: err}
	}
	var files []string
	for _, e := range list.Entries {
		if e.Path != "" && e.Kind == archive.KindFile {
			t.dir.Protect(e.Path)
			files = append(files, filepath.ToSlash(e.Path))
		}
	}
	return files, nil
}

// signalled is how long fakes that got the signal to freeze are waited for before they are asked for their reasons.
const signalled = 3 * time.Second

// endFakes freezes the fakes: this program's own by a signal, whose effect the engine sees for much less than a command costs; others, and those that did
// not heed it, by their control, which also tells why it cannot be done.
func (t *trial) endFakes(ctx context.Context) error {
	f := t.plan.Fakes
	if !f.Own && t.work.box.Signal(ctx, f.Service, "USR1") == nil {
		for began := time.Now(); time.Since(began) < signalled; {
			done, err := t.work.box.Exists(ctx, f.Service, path.Join(fakesOut, evidence.DoneFile))
			if done {
				return nil
			}
			if err != nil {
				break // their control will tell
			}
			if err := pause(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return t.tellFakes(ctx, "freeze")
}

// readEvidence sees that evidence is whole, counts what is in it, and notes what the fakes themselves did wrong.
func (t *trial) readEvidence(dir string) error {
	ev, err := evidence.Open(t.dir.Path(dir))
	if err != nil {
		return &EvidenceError{Cause: err}
	}
	facts := t.rec.Fakes
	if facts == nil {
		facts = &FakesRecord{Service: t.plan.Fakes.Service, Scenario: t.plan.Fakes.Scenario}
		for _, s := range t.plan.Fakes.Servers {
			facts.Servers = append(facts.Servers, s.Name)
		}
	}
	err = ev.Calls(evidence.Query{}, func(c evidence.CallLine) error {
		facts.Calls++
		if c.Write {
			facts.Writes++
		}
		return nil
	})
	if err != nil {
		return &EvidenceError{Cause: err}
	}
	t.rec.Fakes = facts
	err = ev.Violations(func(v evidence.ViolationLine) error {
		const most = 20
		if facts.Violations++; len(facts.FirstViolations) < most {
			facts.FirstViolations = append(facts.FirstViolations, t.mask.String(fmt.Sprintf("%s.%s: %s", v.Server, v.Tool, v.Message)))
		}
		return nil
	})
	if err != nil {
		return &EvidenceError{Cause: err}
	}
	return nil
}

func evidenceMissing(_ Phase, err error, f *Fault) bool {
	if !errors.As(err, new(*EvidenceError)) {
		return false
	}
	f.Code = CodeFakeEvidenceMissing
	return true
}
