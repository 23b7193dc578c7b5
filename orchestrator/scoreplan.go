package orchestrator

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier/score"
)

// ScorePlan says how a step is scored that has a specification and no test script.
type ScorePlan struct {
	Spec *score.Spec
	// File is the specification, below the task's folder.
	File string
	// Submission is where the answers are in the agent's container.
	Submission string
	// Truth has the expected answers; nil for a script, which reads them itself.
	Truth any
}

// MaxAnswers bounds a submission and the expected answers, in bytes.
const MaxAnswers = 16 << 20

// maxSpec bounds a specification, in bytes.
const maxSpec = 1 << 20

// evaluatorUser runs a task's own evaluator: nobody, so that what it reads is not its to change.
const evaluatorUser = "65534:65534"

// What an evaluator may use at most.
const (
	evaluatorMemory = 512 << 20
	evaluatorPids   = 50
)

// scoring plans how a part without a test script is scored; nil for one with. What is wrong with the specification, or with the expected answers, is found
// here, before anything starts.
func (p *Plan) scoring(part task.Part) (*ScorePlan, error) {
	if part.Scoring == "" {
		return nil, nil
	}
	fault := func(file string, err error) error {
		c := &task.ConfigError{File: filepath.Join(p.Task.Dir, filepath.FromSlash(file)), Code: task.ScoringInvalid, What: err.Error()}
		var s *score.SpecError
		if errors.As(err, &s) && s.Dimension != "" {
			c.Key = s.Dimension
		}
		return task.Problems{c}
	}
	root, err := os.OpenRoot(p.Task.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Task.Dir, err)
	}
	defer root.Close()
	text, err := regular.ReadIn(root, part.Scoring, maxSpec)
	if err != nil {
		return nil, fault(part.Scoring, errors.New("cannot be read: "+pathless(err)))
	}
	s := &ScorePlan{File: part.Scoring}
	if s.Spec, err = score.ParseSpec(text, strings.HasSuffix(part.Scoring, ".toml")); err != nil {
		return nil, fault(part.Scoring, err)
	}
	if s.Submission = s.Spec.Submission; s.Submission == "" {
		return nil, fault(part.Scoring, errors.New("submission is missing: the path of the answers in the agent's container, as in \"/app/answer.json\""))
	}
	if trusted(path.Clean(s.Submission)) {
		return nil, fault(part.Scoring, fmt.Errorf("submission is %s, which is no place for what an agent leaves", s.Submission))
	}
	if s.Spec.Custom != nil {
		script := path.Join(path.Dir(part.Scoring), s.Spec.Custom.Script)
		if info, err := root.Stat(script); err != nil || !info.Mode().IsRegular() {
			return nil, fault(script, errors.New("the evaluator that "+path.Base(part.Scoring)+" names is missing"))
		}
		if s.Spec.Truth == "" {
			return s, nil
		}
		truth := path.Join(path.Dir(part.Scoring), s.Spec.Truth)
		if info, err := root.Stat(truth); err != nil || !info.Mode().IsRegular() {
			return nil, fault(truth, errors.New("the expected answers that "+path.Base(part.Scoring)+" names are missing"))
		}
		return s, nil
	}
	truth := path.Join(path.Dir(part.Scoring), cmp.Or(s.Spec.Truth, "truth.json"))
	if text, err = regular.ReadIn(root, truth, MaxAnswers); err != nil {
		return nil, fault(truth, errors.New("the expected answers cannot be read: "+pathless(err)))
	}
	if s.Truth, err = score.ParseTruth(text); err != nil {
		return nil, fault(truth, err)
	}
	var none float64
	if _, _, err := s.Spec.Score(nil, s.Truth, &none); err != nil {
		return nil, fault(truth, err)
	}
	return s, nil
}

// pathless is the text of a file system's error without the path, which the message names already.
func pathless(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// verifierScript is what grades, below the task's folder: a script, or the specification where nothing runs.
func (s *StepPlan) verifierScript() string {
	switch {
	case s.Score == nil:
		return "tests/test.sh"
	case s.Score.Spec.Custom == nil:
		return s.Score.File
	}
	return path.Join(path.Dir(s.Score.File), s.Score.Spec.Custom.Script)
}

// testsLine says in a line what grades one step of several.
func (s *StepPlan) testsLine() string {
	if s.Score != nil {
		return s.verifierLine()
	}
	return strings.Join(s.Part.Tests, " + ") + " as " + orImage(s.VerifierUser)
}

// verifierLine says in a line what grades.
func (s *StepPlan) verifierLine() string {
	if s.Score != nil && s.Score.Spec.Custom == nil {
		return s.Score.File + " scores " + s.Score.Submission
	}
	return s.verifierScript() + " as " + orImage(s.VerifierUser)
}

// evaluator is the definition of the container in which a part's own evaluator runs: the image that the specification names, else what the task has for its
// verifier, else the image of the agent's container as it was before the agent.
func (p *Plan) evaluator(c *task.Config, s *StepPlan, d *definition) (*definition, error) {
	d.network = task.NoNetwork
	switch {
	case s.Score.Spec.Custom.Image != "":
		d.env, d.dockerfile, d.compose = task.Environment{DockerImage: s.Score.Spec.Custom.Image}, false, false
	case s.Part.Verifier.Dockerfile || s.Part.Verifier.Compose:
	case s.Part.Mode == task.Separate && d.env.DockerImage != "":
	default:
		d.dir, d.dockerfile, d.compose, d.exclude = filepath.Join(p.Task.Dir, "environment"), p.Task.HasDockerfile, false, p.unseen()
		d.env.DockerImage = c.Environment.DockerImage
		d.image = sidecar.Slug(p.Task.ShortName, 40)
		if d.env.DockerImage == "" && !d.dockerfile {
			return nil, &task.ConfigError{File: filepath.Join(p.Task.Dir, filepath.FromSlash(s.Score.File)), Code: task.ScoringInvalid, What: "image is missing: the task has no Dockerfile of which the evaluator's container could be made"}
		}
	}
	return d, nil
}

// confine limits what an evaluator can use, and takes from it what it has no need of.
func confine(spec *stack.Spec) {
	main := sidecar.Find(spec, stack.Main)
	main.NetworkMode, main.Networks = "none", nil
	main.CapDrop, main.SecurityOpt = []string{"NET_RAW", "MKNOD"}, []string{"no-new-privileges:true"}
	if main.Memory == 0 {
		main.Memory, main.MemorySwap = evaluatorMemory, evaluatorMemory
	}
	if main.CPUs == 0 {
		main.CPUs = 1
	}
	if main.Pids == 0 {
		main.Pids = evaluatorPids
	}
}
