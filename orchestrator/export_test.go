package orchestrator

import (
	"context"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

// In runs one phase as a trial does.
var In = in

// Session is a run under way whose engine is whatever the runner has.
type Session struct{ s *session }

// NewSession begins a run's record with a connection that nothing is asked of but to start the guard.
func NewSession(ctx context.Context, q *Request, conn *sidecar.Engine, planned int) (*Session, error) {
	s, err := newSession(ctx, q, conn, sidecar.Info{Name: "Docker Engine", Version: "28.5.2", API: "1.51", OS: "linux", Arch: "amd64", Kernel: "6.1"}, nil, planned, bookOfRun)
	return &Session{s: s}, err
}

// Runner is the session's runner on another engine.
func (s *Session) Runner(e Engine) *Runner {
	return &Runner{Engine: e, Folder: s.s.folder, Owner: sidecar.Self(), Keep: s.s.q.Options.Keep, Tool: s.s.q.Tool, Tell: s.s.emit}
}

// Do runs the jobs as a run does, one after another.
func (s *Session) Do(ctx context.Context, r *Runner, jobs []Job, after func(*RunRecord)) {
	for _, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		s.s.add(j, s.s.one(ctx, r, &errand{job: j}))
		after(s.s.rec)
	}
}

// Finish ends the run.
func (s *Session) Finish(ctx context.Context) *RunRecord {
	s.s.finish(ctx, "")
	s.s.folder.Close()
	s.s.release()
	return s.s.rec
}

// Path is the run's folder.
func (s *Session) Path() string { return s.s.folder.Path }

// PhaseSlack is how much longer than its command the agent's and the verifier's phase may take.
const PhaseSlack time.Duration = phaseSlack

// Run carries out the jobs on another engine.
func (s *Session) Run(ctx context.Context, e Engine, jobs []Job) *RunRecord {
	s.s.engine = e
	return s.s.run(ctx, jobs)
}

// Queue is a queue of errands that are known by their names.
type Queue struct {
	q     *queue
	taken map[string]*errand
}

// NewQueue has errands of these names.
func NewQueue(names ...string) *Queue {
	q := &Queue{taken: map[string]*errand{}}
	var all []*errand
	for _, n := range names {
		all = append(all, &errand{job: Job{name: n}})
	}
	q.q = newQueue(all)
	return q
}

// Next is the name of the next one.
func (q *Queue) Next(ctx context.Context) (string, bool) {
	e, ok := q.q.next(ctx)
	if !ok {
		return "", false
	}
	q.taken[e.job.name] = e
	return e.job.name, true
}

// Again puts one back for a while.
func (q *Queue) Again(name string, d time.Duration) {
	e := q.taken[name]
	e.due = time.Now().Add(d)
	q.q.again(e)
}

// Done, Stop and Why are the queue's.
func (q *Queue) Done()           { q.q.done() }
func (q *Queue) Stop(why string) { q.q.stop(why) }
func (q *Queue) Why() string     { return q.q.why() }

// BackOff is how long a trial waits before it is tried again.
var BackOff = backOff

// Order is the folders of a run's trials in the order in which they are begun.
func Order(q *Request, jobs []Job) (names []string) {
	for _, e := range errands(jobs, &q.Batch, newNamer(), durations(q, len(jobs))) {
		names = append(names, e.job.name)
	}
	return names
}
