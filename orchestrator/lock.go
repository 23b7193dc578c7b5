package orchestrator

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/task"
)

// Surroundings are what the locks of a run's trials share.
type Surroundings struct {
	Command  lockfile.Command
	Machine  lockfile.Machine
	Planned  int
	Parallel int
	// NoCopies says that no copies of tasks and agents are kept.
	NoCopies bool
	// Capture keeps the end state of the agent's container.
	Capture bool
}

func surroundings(q *Request, rec *RunRecord, info sidecar.Info, planned int) Surroundings {
	return Surroundings{Command: lockfile.Command{Args: rec.Spec.Args, Directory: rec.Spec.Directory}, Machine: machineOf(info), Planned: planned, Parallel: max(1, q.Batch.Parallel),
		NoCopies: q.NoSnapshot, Capture: q.Capture}
}

func machineOf(in sidecar.Info) lockfile.Machine {
	return lockfile.Machine{Engine: in.Name, Version: in.Version, API: in.API, OS: in.OS, Arch: in.Arch, Kernel: in.Kernel, Cgroup: in.Cgroup, Storage: in.Storage,
		Security: in.Security, CPUs: in.CPUs, Memory: in.Memory}
}

// digester is task.Digest, or what remembers it.
type digester func(dir string) (string, error)

// lock is the part of a lock that is known before anything runs.
func (p *Plan) lock(salt string, digest digester) *lockfile.Lock {
	l := &lockfile.Lock{Format: lockfile.Format, SchemaVersion: lockfile.SchemaVersion, Case: p.CaseID, Trial: p.Trial, Options: p.Asked, Salt: salt, Variables: p.variables(salt),
		Task:  lockfile.Folder{Path: p.Task.Dir, Name: p.Task.Name, Checksum: p.Checksum},
		Agent: p.lockedAgent(digest), Images: map[string]lockfile.Image{}, Fakes: p.lockedFakes(digest), Limits: []lockfile.Limit{}, Services: []lockfile.Service{}, Network: p.policies()}
	for _, r := range limitRecords(p) {
		l.Limits = append(l.Limits, lockfile.Limit{Phase: r.Phase, Step: r.Step, Seconds: r.Seconds, Source: r.Source})
	}
	for i := range p.Spec.Services {
		s := &p.Spec.Services[i]
		l.Services = append(l.Services, lockfile.Service{Name: s.Name, CPUs: s.CPUs, Memory: s.Memory, Pids: s.Pids})
	}
	return l
}

func (p *Plan) lockedAgent(digest digester) lockfile.Agent {
	a := lockfile.Agent{Kind: string(p.Agent.Kind), Name: p.Agent.String(), Model: p.Agent.Model, Command: p.Agent.Command}
	if f := p.Agent.File; f != nil {
		a.Version, a.File = f.Version, filepath.Base(f.Path)
		a.Folder = &lockfile.Folder{Path: f.Dir, Name: f.Name}
		sum, err := digest(f.Dir)
		if err != nil {
			a.Folder.NoCopy = err.Error()
		}
		a.Folder.Checksum = sum
	}
	return a
}

func (p *Plan) lockedFakes(digest digester) *lockfile.Fakes {
	c := p.Task.Config.Fakes
	if p.Fakes == nil || c == nil {
		return nil
	}
	f := &lockfile.Fakes{Scenario: p.Fakes.Scenario, Seed: strconv.FormatInt(c.Seed.Or(0), 10), Clock: c.Now.Or(fakesEpoch()).UTC().Format(time.RFC3339), Servers: map[string]string{}}
	for _, s := range p.Fakes.Servers {
		sum, err := digest(filepath.Join(p.Task.Dir, "environment", "fakes", s.Name))
		if err != nil {
			sum = "unknown: " + err.Error()
		}
		f.Servers[s.Name] = sum
	}
	return f
}

// policies are the networks of the phases, those of a stack without a gateway under the name of the phase that it starts with.
func (p *Plan) policies() []lockfile.Policy {
	list := []lockfile.Policy{{Phase: string(PhaseStart), Mode: string(p.Network)}}
	add := func(g *GatePlan, step string, phase Phase, name string) {
		if g == nil || name == "" {
			return
		}
		r := lockfile.Policy{Phase: string(phase), Step: step, Mode: modeOf(g.Policies[name])}
		r.Hosts = g.Policies[name].Hosts
		list = append(list, r)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		add(p.Gate, s.Part.Name, PhaseAgent, s.AgentPolicy)
		gate := p.Gate
		if s.Grader != nil {
			gate = s.Grader.Gate
		}
		add(gate, s.Part.Name, PhaseVerifier, s.VerifierPolicy)
	}
	return list
}

func modeOf(p egress.Policy) string {
	switch {
	case p.Open:
		return string(task.Public)
	case len(p.Hosts) > 0:
		return string(task.Allowlist)
	}
	return string(task.NoNetwork)
}

// lockedImage is an image as a lock has it.
func lockedImage(src Source, img images.Image) lockfile.Image {
	l := lockfile.Image{Ref: refOf(src, img), ID: img.ID, RepoDigests: img.RepoDigests, Program: src.Program}
	if img.OS != "" {
		l.Platform = img.OS + "/" + img.Arch
	}
	if src.Build != nil {
		l.Digest = img.Digest
	}
	for _, b := range img.Bases {
		l.Bases = append(l.Bases, lockfile.Base{Ref: b.Ref, ID: b.ID, Digest: b.Digest})
	}
	return l
}

// copied keeps copies of what decided the trial, beside what else goes on. The function that it returns waits for them, and writes into a lock where they are.
func (t *trial) copied() func(*lockfile.Lock) {
	if t.Synthetic || t.NoCopies {
		return func(l *lockfile.Lock) {
			l.Task.NoCopy = "none is kept"
			if l.Agent.Folder != nil {
				l.Agent.Folder.NoCopy = "none is kept"
			}
		}
	}
	type outcome struct {
		path string
		err  error
	}
	begin := func(kind, dir, sum string) func(*lockfile.Folder) {
		done := make(chan outcome, 1)
		go func() {
			path, err := t.Folder.copies.keep(kind, dir, sum)
			done <- outcome{path, err}
		}()
		return func(f *lockfile.Folder) {
			o := <-done
			if f.Copy = o.path; o.err != nil {
				f.NoCopy = t.mask.String(o.err.Error())
			}
		}
	}
	of := begin("tasks", t.plan.Task.Dir, t.plan.Checksum)
	var agent func(*lockfile.Folder)
	if f := t.plan.Agent.File; f != nil {
		if sum, err := t.Folder.copies.digest(f.Dir); err == nil {
			agent = begin("agents", f.Dir, sum)
		}
	}
	return func(l *lockfile.Lock) {
		of(&l.Task)
		if agent != nil && l.Agent.Folder != nil {
			agent(l.Agent.Folder)
		}
	}
}

// writeLock writes what decided the trial beside its record. That it cannot be written is no fault of the trial's.
func (t *trial) writeLock(copied func(*lockfile.Lock)) {
	names, count := t.crowd.leave(t.among)
	if t.Synthetic {
		return
	}
	l := t.plan.lock(lockfile.NewSalt(), t.Folder.copies.digest)
	l.RunID, l.TrialID, l.Tool = t.Folder.RunID, t.id, lockfile.Tool{Version: t.Tool.Version, Commit: t.Tool.Commit}
	l.Command, l.Machine = t.Command, t.Machine
	l.Images, l.Captures = t.locked, t.captures
	l.Batch = lockfile.Batch{Planned: t.Planned, Parallel: t.Parallel, Beside: slices.Clone(names), BesideCount: count}
	if t.among != nil {
		l.Batch.Order = t.among.order
	}
	l.Agent.Command = t.mask.String(l.Agent.Command)
	copied(l)
	data, err := Encode(l)
	if err == nil {
		err = t.dir.Write("lock.json", data)
	}
	if err != nil {
		t.warn("lock_unwritten", "what decided the trial could not be written down: "+err.Error())
	}
}
