package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// ReproRequest asks for a recorded trial to be run again with all that decided it the same.
type ReproRequest struct {
	Place *TrialPlace
	// Agent does the work in place of the recorded one; nil = that one.
	Agent *AgentChoice
	// At is the first step that the agent does; of those before it the recorded end states are put in their places. Empty = all of them.
	At string
	// Tests is the folder of a task whose tests are run in place of the recorded ones; empty = those.
	Tests string
	// Flags are the values for recorded variables by "agent-env", "verifier-env" and "compose-env"; those that are not given are looked for in the environment.
	Flags map[string]map[string]string
	// Anyway runs the trial although something is not as it was.
	Anyway bool
	// Run says where the new record goes, how many trials there are and who hears of them. Its paths, options and command line are not used.
	Run Request
	// Told hears, before anything runs, what is worth knowing and what is not as it was.
	Told func(notes []string, differences []lockfile.Difference)
}

// Reproduction is what run.json says of a run that reproduces a trial.
type Reproduction struct {
	Run         string                `json:"run"`
	Trial       string                `json:"trial"` // its folder
	TrialID     string                `json:"trial_id"`
	Case        string                `json:"case"`
	Was         Outcome               `json:"was"`
	At          string                `json:"at_step,omitempty"`
	Differences []lockfile.Difference `json:"differences"`
}

// DifferentError says that a trial was not run, since not everything that decided it could be held the same.
type DifferentError struct{ Differences []lockfile.Difference }

func (e *DifferentError) Error() string {
	return fmt.Sprintf("%d thing%s could not be held the same; with --anyway the trial is run all the same", len(e.Differences), plural(len(e.Differences)))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// Reproduce runs a recorded trial again. Errors are those of Run, and *DifferentError, *MissingVariablesError and *ImageGoneError; nothing has run then.
func Reproduce(ctx context.Context, q *ReproRequest) (*RunRecord, *Folder, error) {
	was, err := ReadLock(q.Place)
	if err != nil {
		return nil, nil, err
	}
	r := &repro{ReproRequest: q, was: was}
	defer func() { _ = os.RemoveAll(r.temporary) }() // empty: nothing is removed
	if err := r.plan(ctx); err != nil {
		return nil, nil, err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, nil, err
	}
	if q.Told != nil {
		q.Told(r.notes, r.differences)
	}
	if len(r.differences) > 0 && !q.Anyway {
		return nil, nil, &DifferentError{Differences: r.differences}
	}
	run := q.Run
	run.Options, run.Paths = r.options, []string{r.job.Dir}
	run.Reproduces = &Reproduction{Run: q.Place.Run, Trial: q.Place.Name, TrialID: q.Place.Record.TrialID, Case: q.Place.Record.Case.ID, Was: OutcomeOf(&q.Place.Record.Case), At: q.At, Differences: r.differences}
	return runJobs(ctx, &run, []Job{r.job})
}

// repro is a reproduction being made ready.
type repro struct {
	*ReproRequest
	was         *lockfile.Lock
	options     Options
	job         Job
	is          *lockfile.Lock
	notes       []string
	differences []lockfile.Difference
	temporary   string // a folder that is removed at the end; empty = none
}

// plan plans the trial anew from the recorded files and options.
func (r *repro) plan(ctx context.Context) error {
	dir, why := placeOf(r.Place.Run, &r.was.Task)
	if _, err := os.Stat(dir); err != nil {
		return &UsageError{Cause: fmt.Errorf("the task's files are gone: %s, and there is nothing at %s", why, dir)}
	}
	if why != "" {
		r.notes = append(r.notes, "the task's files are those at "+dir+": "+why)
	} else {
		r.edited()
	}
	if r.Tests != "" {
		var err error
		if r.temporary, dir, err = retested(dir, r.Tests); err != nil {
			return err
		}
	}
	o, err := lockedOptions(r.was, given{flags: r.Flags, lookup: r.Run.Options.Lookup, replaced: r.Agent != nil})
	if err != nil {
		return err
	}
	o.Keep, o.KeepFor, o.MinScore, o.PassBar, o.Notice = r.Run.Options.Keep, r.Run.Options.KeepFor, r.Run.Options.MinScore, r.Run.Options.PassBar, r.Run.Options.Notice
	if r.Agent != nil {
		o.Agent = *r.Agent
	} else if o.Agent, err = lockedAgentChoice(r.Place.Run, &r.was.Agent); err != nil {
		return err
	}
	r.options = o
	t, err := task.Load(dir, task.Options{Lax: o.Lax})
	if err != nil {
		return &UsageError{Cause: err}
	}
	c := &r.Place.Record.Case
	r.job = Job{Dir: dir, Task: t, name: sidecar.Slug(r.Place.Name, 48), legacy: cmp.Or(t.Config.Task.Name, c.LegacyID), source: c.Task.Source}
	if r.job.Replan(ctx, &r.options); r.job.Err != nil {
		return &UsageError{Cause: r.job.Err}
	}
	return r.replays()
}

// edited notes that the task is not at its old place as it was: those who look at its files there would be misled.
func (r *repro) edited() {
	switch sum, err := task.Digest(r.was.Task.Path); {
	case err != nil:
		r.notes = append(r.notes, "the task is not at "+r.was.Task.Path+" any more; the copy that the run kept is used")
	case sum != r.was.Task.Checksum:
		r.notes = append(r.notes, "the task at "+r.was.Task.Path+" has been edited since; the copy that the run kept is used")
	}
}

// prepare sees to the images, and lists what is not as it was.
func (r *repro) prepare(ctx context.Context) error {
	conn, err := sidecar.Connect(r.Run.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	info, err := Preflight(ctx, conn, sidecar.Room{RunsDir: r.Run.RunsDir, MinFree: r.Run.MinFree})
	if err != nil {
		return err
	}
	h := &held{conn: conn, store: images.New(conn.Builds()), notes: &r.notes, log: io.Discard}
	r.is = r.job.Plan.lock(r.was.Salt, task.Digest)
	r.is.Tool, r.is.Machine = lockfile.Tool{Version: r.Run.Tool.Version, Commit: r.Run.Tool.Commit}, machineOf(info)
	for _, s := range r.job.Plan.allImages() {
		was := r.was.Images[s.key]
		if r.Tests != "" && s.grades {
			was = lockfile.Image{} // it may hold the tests
		}
		src, err := h.get(ctx, s.key, s.sources[s.name], was)
		if err != nil {
			return err
		}
		s.sources[s.name] = src
		now := was // what this program makes of itself is told by its own version
		if !src.Program {
			now.ID = src.Ref
			if !strings.HasPrefix(src.Ref, "sha256:") { // no lock has it, so that it is made as if for the first time
				now.ID = was.ID
			}
		}
		r.is.Images[s.key] = now
	}
	if err := r.withAgent(ctx, h); err != nil {
		return err
	}
	was := *r.was
	was.Images = maps.Clone(was.Images)
	if r.Tests != "" { // asked for
		was.Task.Checksum = r.is.Task.Checksum
		for _, s := range r.job.Plan.allImages() {
			if s.grades {
				was.Images[s.key] = r.is.Images[s.key]
			}
		}
	}
	if r.Agent != nil { // likewise
		was.Agent, was.Images = r.is.Agent, withoutAgents(was.Images)
		r.is.Images = withoutAgents(r.is.Images)
		was.Variables, r.is.Variables = fewer(was.Variables), fewer(r.is.Variables)
	}
	r.differences = lockfile.Differences(&was, r.is)
	if n := r.was.Batch.BesideCount; n > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d other trial%s ran beside it then (it was number %d of %d to begin, %d at a time); that is not repeated", n, plural(n), r.was.Batch.Order, r.was.Batch.Planned, r.was.Batch.Parallel))
	}
	return nil
}

// fewer leaves out what only an agent depends on.
func fewer(list []lockfile.Variable) []lockfile.Variable {
	return slices.DeleteFunc(slices.Clone(list), func(v lockfile.Variable) bool { return v.From != "verifier-env" && v.From != "compose-env" })
}

func withoutAgents(all map[string]lockfile.Image) map[string]lockfile.Image {
	out := map[string]lockfile.Image{}
	for k, v := range all {
		if !strings.HasSuffix(k, agentLayer) {
			out[k] = v
		}
	}
	return out
}

// withAgent finds the image with the agent on it, or sees that it can be made on the task's.
func (r *repro) withAgent(ctx context.Context, h *held) error {
	p := r.job.Plan
	was, had := r.was.Images[stack.Main+agentLayer]
	if r.Agent != nil || !had || p.Agent.Kind != AgentInstalled {
		return nil
	}
	id, err := h.inspected(ctx, was.ID)
	if err != nil {
		return err
	}
	now := was
	if id == was.ID {
		src := p.Images[stack.Main]
		src.Build, src.Ref, src.Policy = nil, was.ID, string(images.PullNever)
		p.Images[stack.Main], p.Installed = src, true
	} else {
		h.note("the image with the agent on it is gone; the agent is installed again")
		src := p.Images[stack.Main]
		if strings.HasPrefix(src.Ref, "sha256:") { // a Dockerfile cannot name it like that
			if src.Ref, err = h.tag(ctx, src.Ref); err != nil {
				return err
			}
			p.Images[stack.Main] = src
		}
		now.ID = "one that is made anew"
	}
	r.is.Images[stack.Main+agentLayer] = now
	return nil
}

// planImage is the place of an image in a plan.
type planImage struct {
	key     string // as a record has it
	sources map[string]Source
	name    string // of the service
	grades  bool   // it is of a separate verifier's stack
}

// allImages are the images of all stacks of a trial, by the names that its record has for them.
func (p *Plan) allImages() []planImage {
	var all []planImage
	for _, name := range sorted(p.Images) {
		all = append(all, planImage{key: name, sources: p.Images, name: name})
	}
	for i := range p.Steps {
		g := p.Steps[i].Grader
		if g == nil {
			continue
		}
		for _, name := range sorted(g.Images) {
			all = append(all, planImage{key: path.Join(p.graderName(i), name), sources: g.Images, name: name, grades: true})
		}
	}
	return all
}
