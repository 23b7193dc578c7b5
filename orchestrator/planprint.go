package orchestrator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// String prints the plan for people and for golden files. Values of variables are not shown, since they may be secrets.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "task      %s\n", p.Task.Name)
	if s := p.Source; s != nil {
		fmt.Fprintf(&b, "from      %s of %s at %s\n", s.Path, s.Repository, s.Commit)
	}
	fmt.Fprintf(&b, "case      %s (legacy id %s)\n", p.CaseID, p.LegacyID)
	one := !p.MultiStep()
	if fmt.Fprintf(&b, "agent     %s", p.Agent); one {
		fmt.Fprintf(&b, " as %s", orImage(p.Steps[0].AgentUser))
	}
	b.WriteString("\n")
	if p.Agent.Command != "" {
		fmt.Fprintf(&b, "          %s\n", p.Agent.Command)
	}
	if one {
		fmt.Fprintf(&b, "verifier  %s\n", p.Steps[0].verifierLine())
	}
	fmt.Fprintf(&b, "workdir   %s\n", orImage(p.Workdir))
	rules := "contract"
	if p.Harbor {
		rules = "harbor"
	} else if p.Contract != nil {
		rules = fmt.Sprintf("contract, version %d", *p.Contract)
	}
	fmt.Fprintf(&b, "rewards   %s\n", rules)
	fmt.Fprintf(&b, "network   %s\n", p.Network)
	if one {
		p.Steps[0].networks(&b, "network   ")
	}
	for _, e := range []struct {
		name string
		env  map[string]string
	}{{"env", p.Env}, {"env agent", p.AgentEnv}, {"env tests", p.Steps[0].onlyEnv(one)}} {
		if len(e.env) > 0 {
			fmt.Fprintf(&b, "%-9s %s\n", e.name, strings.Join(slices.Sorted(maps.Keys(e.env)), " "))
		}
	}
	b.WriteString("limits\n")
	for _, l := range limitRecords(p) {
		if l.Step == "" {
			fmt.Fprintf(&b, "  %-9s %-8s %s\n", l.Phase, seconds(l.Seconds), l.Source)
		}
	}
	b.WriteString("images\n")
	for _, name := range slices.Sorted(maps.Keys(p.Images)) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, p.Images[name])
	}
	fmt.Fprintf(&b, "stack\n%s", indent(p.Spec.String()))
	for i := range p.Steps {
		if g := p.Steps[i].Grader; one && g != nil {
			g.describe(&b, "")
		}
		if !one {
			p.Steps[i].describe(&b)
		}
	}
	return b.String()
}

func orImage(s string) string {
	if s == "" {
		return "the image says"
	}
	return s
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// onlyEnv is the tests' environment where it is that of the whole task.
func (s *StepPlan) onlyEnv(one bool) map[string]string {
	if !one {
		return nil
	}
	return s.VerifierEnv
}

func (s *StepPlan) describe(b *strings.Builder) {
	fmt.Fprintf(b, "step %s\n", s.Part.Name)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("agent", "as %s", orImage(s.AgentUser))
	s.networks(b, "  network   ")
	row("tests", "%s", s.testsLine())
	if len(s.VerifierEnv) > 0 {
		row("env tests", "%s", strings.Join(slices.Sorted(maps.Keys(s.VerifierEnv)), " "))
	}
	if s.Part.Workdir != "" {
		row("workdir", "%s, setup.sh: %t", s.Part.Workdir, s.Part.Setup)
	}
	if s.Healthcheck != nil {
		row("health", "%s", s.Healthcheck.Command)
	}
	for _, h := range s.Hooks {
		row("collect", "%s: %s", h.Service, h.Command)
	}
	for _, a := range s.Artifacts {
		row("artifact", "%s:%s", cmp.Or(a.Service, "main"), a.Source)
	}
	for _, phase := range phases() {
		if l, ok := s.Limits[phase]; ok {
			row("limit", "%s %s %s", phase, l.Value, l.Source)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.MinReward)) {
		row("least", "%s %v", name, s.MinReward[name])
	}
	if s.Grader != nil {
		s.Grader.describe(b, "  ")
	}
}

// networks prints what holds in the phases of a step, where a gateway stands before the network.
func (s *StepPlan) networks(b *strings.Builder, head string) {
	for _, e := range []struct{ phase, policy string }{{"agent", s.AgentPolicy}, {"tests", s.VerifierPolicy}} {
		if e.policy != "" {
			fmt.Fprintf(b, "%s%s: %s\n", head, e.phase, e.policy)
		}
	}
}

func (g *GraderPlan) describe(b *strings.Builder, in string) {
	fmt.Fprintf(b, "%sverifier apart, in %s\n", in, orImage(g.Workdir))
	if len(g.Env) > 0 {
		fmt.Fprintf(b, "%s  env       %s\n", in, strings.Join(slices.Sorted(maps.Keys(g.Env)), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(g.Images)) {
		fmt.Fprintf(b, "%s  %-9s %s\n", in, name, g.Images[name])
	}
	for _, a := range g.Artifacts {
		fmt.Fprintf(b, "%s  takes     %s:%s\n", in, cmp.Or(a.Service, "main"), a.Source)
	}
	for line := range strings.Lines(indent(g.Spec.String())) {
		b.WriteString(in + line)
	}
}
