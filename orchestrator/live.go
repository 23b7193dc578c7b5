package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
)

// CheckFormat is the format of check.json, the record of trials that check a task's tests. They are no results, and stand in no run.json.
const CheckFormat = "seatrial-check"

// LiveRecord is check.json.
type LiveRecord struct {
	Format        string       `json:"format"`
	SchemaVersion int          `json:"schema_version"`
	Synthetic     bool         `json:"synthetic"` // always true
	RunID         string       `json:"run_id"`
	Status        string       `json:"status"`
	StartedAt     time.Time    `json:"started_at"`
	FinishedAt    *time.Time   `json:"finished_at"`
	Tool          Tool         `json:"tool"`
	Trials        []*LiveTrial `json:"trials"`
	Leaks         []string     `json:"leaks"`
}

// LiveTrial is one trial that checks a task's tests.
type LiveTrial struct {
	// Task is the loaded task, and Dir its folder as it was found.
	Task *task.Task `json:"-"`
	Dir  string     `json:"task"`
	// Agent is "nop", "oracle" or "probe:NAME", and Round counts from 1.
	Agent string      `json:"agent"`
	Probe *task.Probe `json:"-"`
	Round int         `json:"round"`
	// Folder is the trial's, below the check's.
	Folder string `json:"folder"`
	Case   Case   `json:"case"`
	// Rewards are the bytes of the reward file as they were written.
	Rewards string `json:"-"`
}

// Disturbed says that the machine, and not the task, kept the trial from a verdict.
func (t *LiveTrial) Disturbed() bool {
	return t.Case.Error != nil && slices.Contains([]string{CodeSandboxLost, CodeInternal, CodeInterrupted}, t.Case.Error.Code)
}

// liveBook is check.json.
type liveBook struct {
	s   *session
	rec *LiveRecord
}

func bookOfCheck(s *session) *liveBook {
	return &liveBook{s: s, rec: &LiveRecord{Format: CheckFormat, SchemaVersion: SchemaVersion, Synthetic: true, RunID: s.folder.RunID, StartedAt: s.started.UTC(), Tool: s.q.Tool, Trials: []*LiveTrial{}}}
}

func (b *liveBook) add(j Job, rec *TrialRecord) {
	l := j.live
	l.Case, l.Folder = rec.Case, filepath.ToSlash(filepath.Join("trials", j.name))
	for _, name := range []string{verifier.RewardJSONName, verifier.RewardTXTName} {
		if data, err := os.ReadFile(filepath.Join(b.s.folder.Path, l.Folder, "verifier", name)); err == nil && l.Rewards == "" {
			l.Rewards = string(data)
		}
	}
	b.rec.Trials = append(b.rec.Trials, l)
}

func (b *liveBook) write() error {
	b.rec.Status, b.rec.FinishedAt, b.rec.Leaks = b.s.rec.Status, b.s.rec.FinishedAt, b.s.rec.Leaks
	data, err := Encode(b.rec)
	if err != nil {
		return err
	}
	return writeAtomic(b.path(), data)
}

func (b *liveBook) synthetic() bool { return true }

func (b *liveBook) path() string { return filepath.Join(b.s.folder.Path, "check.json") }

// Live tries out the tests of tasks: for each it runs a trial with nobody, with the task's own solution, and with each of its probes, rounds times over. Tasks
// of which no trial can be planned are left out. The trials are in the record and in no run.json. An error means that nothing ran; no record and no error, that
// there was nothing to run.
func Live(ctx context.Context, q *Request, rounds int) (*LiveRecord, error) {
	surveyed, err := Survey(ctx, q.Paths, &q.Options)
	if err != nil {
		return nil, err
	}
	names := newNamer()
	var jobs []Job
	for i := range surveyed {
		jobs = append(jobs, surveyed[i].tryouts(ctx, q, rounds, names)...)
	}
	if len(jobs) == 0 {
		return nil, context.Cause(ctx)
	}
	refuseBinds(jobs, q.Host)
	var b *liveBook
	s, closing, err := open(ctx, q, jobs, func(s *session) book {
		b = bookOfCheck(s)
		return b
	})
	if err != nil {
		return nil, err
	}
	defer closing()
	s.run(ctx, jobs)
	if s.unwritten != nil {
		return b.rec, &UnrecordedError{Cause: s.unwritten}
	}
	return b.rec, nil
}

// tryouts are the trials that try out the tests of a job's task; none for a task of which no trial can be planned.
func (j *Job) tryouts(ctx context.Context, q *Request, rounds int, names *namer) []Job {
	nobody := q.Options
	nobody.Agent = AgentChoice{Kind: AgentNop}
	if j.Task == nil || j.Clash != nil || caseFile(j.Task) != nil {
		return nil
	}
	if j.Replan(ctx, &nobody); j.Err != nil {
		return nil
	}
	var jobs []Job
	for round := range rounds {
		for _, a := range standIns(j.Task) {
			o := q.Options
			o.Agent = a
			name := j.name + "-" + string(a.Kind)
			if a.Probe != nil {
				name += "-" + a.Probe.Name
			}
			if rounds > 1 {
				name += fmt.Sprintf("-%d", round+1)
			}
			one := Job{Dir: j.Dir, Task: j.Task, name: names.name(name), legacy: j.legacy, live: &LiveTrial{Task: j.Task, Dir: j.Dir, Agent: a.String(), Probe: a.Probe, Round: round + 1}}
			one.Replan(ctx, &o)
			jobs = append(jobs, one)
		}
	}
	return jobs
}

// standIns are those who stand in for an agent when a task's tests are tried out.
func standIns(t *task.Task) []AgentChoice {
	all := []AgentChoice{{Kind: AgentNop}}
	if HasSolution(t) {
		all = append(all, AgentChoice{Kind: AgentOracle})
	}
	for i := range t.Probes {
		all = append(all, AgentChoice{Kind: AgentProbe, Probe: &t.Probes[i]})
	}
	return all
}

// HasSolution says whether a task has a solution for each of its steps.
func HasSolution(t *task.Task) bool {
	for _, p := range t.Parts {
		if p.Solution == "" {
			return false
		}
	}
	return true
}
