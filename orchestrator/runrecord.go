package orchestrator

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/mask"
)

func newRunRecord(q *Request, id string, started time.Time, host sidecar.Host, info sidecar.Info, planned int) *RunRecord {
	o := &q.Options
	r := &RunRecord{Format: RunFormat, SchemaVersion: SchemaVersion, RunID: id, Status: RunRunning, StartedAt: started.UTC(), Tool: q.Tool,
		Runner:    RunnerName{Name: "harbor", HarborSchema: harborSchemas()},
		Candidate: candidate(&o.Agent),
		Spec: RunSpec{Path: q.Paths, Trials: max(1, q.Batch.Trials), Parallel: max(1, q.Batch.Parallel), MaxRetries: q.Batch.MaxRetries, Partial: q.Batch.AllowPartial, Directory: directory(), FreshSteps: o.FreshSteps, Rewards: cmp.Or(o.Rewards, "task"), Timeouts: timeouts(o), Network: "task", Allow: []string{}, Keep: cmp.Or(o.Keep, "never"),
			AgentEnv: names(o.AgentEnv), Args: slices.Clone(q.Args)},
		Environment: Environment{Docker: info.Version, API: info.API, Engine: info.Name, Host: host.Address, HostSource: host.Source, OS: info.OS, Arch: info.Arch,
			Kernel: info.Kernel, Images: map[string]string{}},
		Cases: []Case{}, Leaks: []string{}, Reproduces: q.Reproduces,
	}
	if o.Selection.Given() {
		r.Spec.Selection = &o.Selection
	}
	for p, on := range o.Allow {
		if on {
			r.Spec.Allow = append(r.Spec.Allow, string(p))
		}
	}
	slices.Sort(r.Spec.Allow)
	m := mask.NewMasker(o.SecretValues)
	for i, a := range r.Spec.Args {
		r.Spec.Args[i] = m.String(a)
	}
	r.Summary = Summarize(nil, planned)
	return r
}

// directory is where relative paths start from; empty where that cannot be told.
func directory() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// candidate is what a run evaluates.
func candidate(a *AgentChoice) Candidate {
	c := Candidate{Agent: a.String()}
	if a.File != nil {
		c.Version = a.File.Version
	}
	if a.Model != "" {
		c.Model = &a.Model
	}
	return c
}

func timeouts(o *Options) map[string]any {
	m := map[string]any{}
	for name, d := range map[string]time.Duration{"agent": o.AgentTimeout, "verifier": o.VerifierTimeout, "build": o.BuildTimeout, "setup": o.SetupTimeout} {
		if d > 0 {
			m[name] = d.Seconds()
		}
	}
	if o.TimeoutMultiplier > 0 {
		m["multiplier"] = o.TimeoutMultiplier
	}
	return m
}

func names(env map[string]string) []string {
	out := []string{}
	for k := range env {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// HideValues takes the values out of NAME=VALUE arguments of the flags that set variables, so that a command line can be recorded.
func HideValues(args []string) []string {
	flags := []string{"--agent-env", "--verifier-env", "--compose-env"}
	out := slices.Clone(args)
	for i, a := range out {
		for _, f := range flags {
			if rest, ok := strings.CutPrefix(a, f+"="); ok {
				out[i] = f + "=" + hide(rest)
			} else if a == f && i+1 < len(out) {
				out[i+1] = hide(out[i+1])
			}
		}
	}
	return out
}

func hide(pair string) string {
	name, _, has := strings.Cut(pair, "=")
	if !has {
		return pair
	}
	return name + "=[masked]"
}

// harborSchemas are the task schemas that are read.
func harborSchemas() []string { return []string{"1.0", "1.1", "1.2", "1.3", "1.4"} }
