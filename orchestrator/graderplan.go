package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// GraderPlan is the stack of its own in which a step's tests run, when they are not to run in the agent's.
type GraderPlan struct {
	Spec *stack.Spec
	// Images says where each service's image comes from.
	Images map[string]Source
	// Workdir is where commands run; empty = the image's.
	Workdir string
	// Env is set in every command in the tests' container.
	Env         map[string]string
	Healthcheck *task.Healthcheck
	// Upload copies the tests' folder into the working directory, as Harbor does for a prebuilt image without a Dockerfile or compose file.
	Upload bool
	// Gate is nil where its network needs no gateway.
	Gate *GatePlan
	// Artifacts are what crosses over, in their order.
	Artifacts []task.Artifact
	// Start limits its start.
	Start Limit
}

// grader plans the separate verifier of a part, or the container of its own evaluator; nil where the tests run in the agent's container, or nothing runs.
func (p *Plan) grader(ctx context.Context, c *task.Config, s *StepPlan, o *Options) (*GraderPlan, error) {
	part := s.Part
	if s.Score == nil && part.Mode != task.Separate || s.Score != nil && s.Score.Spec.Custom == nil {
		return nil, nil
	}
	env, _ := c.VerifierEnvironment(part.Step)
	d := &definition{dir: filepath.Join(p.Task.Dir, filepath.FromSlash(cmp.Or(part.Verifier.Dir, "tests"))), dockerfile: part.Verifier.Dockerfile, compose: part.Verifier.Compose,
		env: env, network: c.VerifierStartNetwork(part.Step).Mode, image: sidecar.Slug(p.Task.ShortName, 40) + "-verifier", place: p.graderPlace(c, part.Step)}
	if part.Name != "" {
		d.image += "-" + sidecar.Slug(part.Name, 20)
	}
	var gate *GatePlan
	var err error
	if s.Score != nil {
		if d, err = p.evaluator(c, s, d); err != nil {
			return nil, err
		}
	} else {
		gate = gateOf(c.VerifierStartNetwork(part.Step), c.VerifierNetwork(part.Step))
	}
	d.gated = gate != nil
	if d.values, err = p.resolve(d.place+".env", env.Env, o); err != nil {
		return nil, err
	}
	g := &GraderPlan{Gate: gate, Env: d.values, Upload: s.Score == nil && env.DockerImage != "" && !d.builds(o) && !d.dockerfile && !d.compose && len(part.Tests) > 0,
		Start: o.limit(PhaseStart, c.Timeouts(part.Step).Build, o.BuildTimeout, "--build-timeout")}
	if g.Spec, err = p.convert(ctx, d, o); err != nil {
		return nil, fmt.Errorf("verifier: %w", err)
	}
	if s.Score != nil {
		confine(g.Spec)
	} else {
		g.Healthcheck = env.Healthcheck
	}
	g.Spec.Tools = p.Fakes != nil || p.scores()
	if err := addGate(g.Spec, gate); err != nil {
		return nil, &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Key: d.place + ".network_mode", What: err.Error()}
	}
	if g.Images, err = p.sources(g.Spec, d, o); err != nil {
		return nil, err
	}
	main := sidecar.Find(g.Spec, stack.Main)
	g.Workdir = cmp.Or(env.Workdir, main.WorkingDir)
	s.VerifierUser = userOf(c.VerifierUser(part.Step), main.User)
	if s.Score != nil {
		s.VerifierUser, g.Artifacts = evaluatorUser, []task.Artifact{{Source: s.Score.Submission}}
		return g, nil
	}
	g.Artifacts, err = p.crossing(s)
	return g, err
}

// graderPlace is the key of the table that says what a separate verifier runs in.
func (p *Plan) graderPlace(c *task.Config, step int) string {
	switch {
	case step >= 0 && c.Steps[step].Verifier.Environment != nil:
		return fmt.Sprintf("steps[%d].verifier.environment", step)
	case c.Verifier.Environment != nil:
		return "verifier.environment"
	}
	return "environment"
}

// crossing lists what is copied from the agent's stack to the tests', /logs/artifacts first unless it is declared. What would let an agent replace the
// tests, or the programs that they are run by, is an error.
func (p *Plan) crossing(s *StepPlan) ([]task.Artifact, error) {
	list := []task.Artifact{{Source: logArtifacts}}
	for i, a := range s.Artifacts {
		if trusted(path.Clean(a.Source)) {
			key := s.key("artifacts", len(p.Task.Config.Artifacts), i)
			at := p.where(key)
			return nil, &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Line: at.Line, Column: at.Column, Key: key,
				What: a.Source + " would let the agent replace what grades it: a separate verifier takes no artifact there"}
		}
		if a.Service == "" && path.Clean(a.Source) == logArtifacts {
			list = list[1:]
		}
	}
	return append(list, s.Artifacts...), nil
}

const logArtifacts = "/logs/artifacts"

// trusted says whether a path holds, or leads to, what a separate verifier must be able to trust.
func trusted(p string) bool {
	for _, dir := range []string{"/tests", "/logs/verifier", ownDir, shim.Dir, sidecar.ToolsDir, "/proc", "/sys", "/dev"} {
		if p == dir || strings.HasPrefix(p, dir+"/") || strings.HasPrefix(dir, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return slices.Contains([]string{"/bin", "/sbin", "/lib", "/lib64", "/etc", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/local", "/usr/local/bin", "/usr/local/lib"}, p)
}
