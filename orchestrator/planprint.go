package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String prints the plan for people and for golden files. Values of variables are not shown, since they may be secrets.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "task      %s\n", p.Task.Name)
	fmt.Fprintf(&b, "case      %s (legacy id %s)\n", p.CaseID, p.LegacyID)
	fmt.Fprintf(&b, "agent     %s as %s\n", p.Agent, orImage(p.AgentUser))
	if p.Agent.Command != "" {
		fmt.Fprintf(&b, "          %s\n", p.Agent.Command)
	}
	fmt.Fprintf(&b, "verifier  tests/test.sh as %s\n", orImage(p.VerifierUser))
	fmt.Fprintf(&b, "workdir   %s\n", orImage(p.Workdir))
	rules := "contract"
	if p.Harbor {
		rules = "harbor"
	} else if p.Contract != nil {
		rules = fmt.Sprintf("contract, version %d", *p.Contract)
	}
	fmt.Fprintf(&b, "rewards   %s\n", rules)
	fmt.Fprintf(&b, "network   %s\n", p.Network)
	for _, e := range []struct {
		name string
		env  map[string]string
	}{{"env", p.Env}, {"env agent", p.AgentEnv}, {"env tests", p.VerifierEnv}} {
		if len(e.env) > 0 {
			fmt.Fprintf(&b, "%-9s %s\n", e.name, strings.Join(slices.Sorted(maps.Keys(e.env)), " "))
		}
	}
	b.WriteString("limits\n")
	for _, phase := range []Phase{PhaseBuild, PhaseStart, PhaseAgent, PhaseCollect, PhaseVerifier, PhaseRewards, PhaseTeardown} {
		l := p.Limits[phase]
		fmt.Fprintf(&b, "  %-9s %-8s %s\n", phase, l.Value, l.Source)
	}
	b.WriteString("images\n")
	for _, name := range slices.Sorted(maps.Keys(p.Images)) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, p.Images[name])
	}
	fmt.Fprintf(&b, "stack\n%s", indent(p.Spec.String()))
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
