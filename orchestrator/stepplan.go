package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// StepPlan is everything that is decided about one run of the agent and its grading. A task without steps has one.
type StepPlan struct {
	Part task.Part
	// AgentUser and VerifierUser are as the task says; empty = the container's own.
	AgentUser, VerifierUser string
	// VerifierEnv is for the tests only.
	VerifierEnv map[string]string
	// Limits has the phases from prepare to verifier.
	Limits map[Phase]Limit
	// Hooks gather evidence after the agent and before the tests.
	Hooks     []task.Collect
	Artifacts []task.Artifact
	// Healthcheck is the step's own, beside the environment's.
	Healthcheck *task.Healthcheck
	// MinReward is what must be reached for the next step to happen.
	MinReward map[string]float64
	// TestsDigest is of what is copied to /tests, owners and times aside.
	TestsDigest string
	// AgentPolicy and VerifierPolicy are those of the stack's gateway that hold in these phases; empty without one.
	AgentPolicy, VerifierPolicy string
	// Score is how the step is scored without a test script; nil where it has one.
	Score *ScorePlan
	// Grader is where the tests run, or the task's own evaluator; nil = in the agent's container, or nowhere.
	Grader *GraderPlan
}

// MultiStep says whether the task has steps, even if it is one.
func (p *Plan) MultiStep() bool { return p.Task.Config.MultiStep() }

// Folder is where the step's files are below the trial's folder; empty for a task without steps.
func (s *StepPlan) Folder() string {
	if s.Part.Name == "" {
		return ""
	}
	return path.Join("steps", s.Part.Name)
}

// tests are the folders that make up /tests, to be packed under prefix.
func (s *StepPlan) tests(taskDir, prefix string) []archive.Tree {
	trees := make([]archive.Tree, len(s.Part.Tests))
	for i, dir := range s.Part.Tests {
		trees[i] = archive.Tree{Root: filepath.Join(taskDir, filepath.FromSlash(dir)), PackOptions: archive.PackOptions{Prefix: prefix}}
	}
	return trees
}

// steps plans each run of the agent and its grading.
func (p *Plan) steps(ctx context.Context, c *task.Config, o *Options) error {
	main := sidecar.Find(p.Spec, stack.Main)
	for _, part := range p.Task.Parts {
		if p.Agent.Probe != nil {
			part.Solution = p.Agent.Probe.Steps[part.Name]
		}
		s := StepPlan{Part: part, Hooks: c.CollectHooks(part.Step), Artifacts: c.ArtifactsOf(part.Step), Limits: stepLimits(c, part.Step, o),
			AgentUser: userOf(c.AgentUser(part.Step), main.User), VerifierUser: userOf(c.VerifierUser(part.Step), main.User)}
		if part.Step != task.TaskLevel {
			s.Healthcheck, s.MinReward = c.Steps[part.Step].Healthcheck, c.Steps[part.Step].MinReward
		}
		env, err := p.verifierEnv(c, part, o)
		if err != nil {
			return err
		}
		s.VerifierEnv = env
		if s.Score, err = p.scoring(part); err != nil {
			return err
		}
		s.Limits[PhaseVerifier] = s.Score.verifierLimit(s.Limits[PhaseVerifier])
		if s.Grader, err = p.grader(ctx, c, &s, o); err != nil {
			return err
		}
		s.AgentPolicy = p.Gate.name(p.agentPolicy(c, part.Step))
		if s.VerifierPolicy = p.Gate.name(c.VerifierNetwork(part.Step)); s.Grader != nil {
			s.VerifierPolicy = s.Grader.Gate.name(c.VerifierNetwork(part.Step))
		}
		if err := p.hooks(c, &s); err != nil {
			return err
		}
		if err := p.contents(&s); err != nil {
			return err
		}
		p.Steps = append(p.Steps, s)
	}
	return p.required(c)
}

// scores says whether the tests ship a specification for `seatrial score`, which their container then has.
func (p *Plan) scores() bool {
	for _, part := range p.Task.Parts {
		if part.Scoring != "" {
			continue // it is scored from outside
		}
		for _, dir := range part.Tests {
			for _, name := range task.ScoringNames() {
				if _, err := os.Lstat(filepath.Join(p.Task.Dir, filepath.FromSlash(dir), name)); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// required sees that each required artifact is one that some step keeps.
func (p *Plan) required(c *task.Config) error {
	var known []string
	for i := range p.Steps {
		for _, a := range p.Steps[i].Artifacts {
			known = append(known, a.Source)
		}
	}
	for i, name := range c.Eval.RequiredArtifacts {
		if slices.Contains(known, name) {
			continue
		}
		key := fmt.Sprintf("metadata.eval.required_artifacts[%d]", i)
		at, what := p.where(key), fmt.Sprintf("%q is not the source of any of the task's artifacts", name)
		if near := nearest.Of(name, known); near != "" {
			what += fmt.Sprintf("; did you mean %q?", near)
		}
		return &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Line: at.Line, Column: at.Column, Key: key, What: what}
	}
	return nil
}

// contents reads once what will be copied into the container, so that what cannot be copied is found before anything starts.
func (p *Plan) contents(s *StepPlan) error {
	at := s.Part.Name
	if at != "" {
		at = "step " + at + ": "
	}
	digest, err := archive.DigestTrees(s.tests(p.Task.Dir, "")...)
	if err != nil {
		return fmt.Errorf("%stests: %w", at, err)
	}
	s.TestsDigest = "sha256:" + digest
	for what, dir := range map[string]string{"solution": s.Part.Solution, "workdir": s.Part.Workdir} {
		if dir == "" || what == "solution" && p.Agent.Kind != AgentOracle && p.Agent.Kind != AgentProbe {
			continue
		}
		if _, err := archive.Digest(filepath.Join(p.Task.Dir, filepath.FromSlash(dir)), archive.PackOptions{}); err != nil {
			return fmt.Errorf("%s%s: %w", at, what, err)
		}
	}
	if p.Agent.Kind == AgentOracle && s.Part.Solution == "" {
		return &UnsupportedError{File: filepath.Join(p.Task.Dir, filepath.FromSlash(path.Join(s.Folder(), "solution"))), Key: "--agent oracle",
			What: at + "the task has no solution folder with a solve.sh"}
	}
	return nil
}

// verifierEnvs are the variables of all steps' tests.
func (p *Plan) verifierEnvs() []map[string]string {
	var out []map[string]string
	for i := range p.Steps {
		out = append(out, p.Steps[i].VerifierEnv)
	}
	return out
}
