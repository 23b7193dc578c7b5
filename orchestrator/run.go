package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/mask"
	"github.com/seatrial/seatrial/task"
)

// engineAnswer bounds the first question to the engine.
const engineAnswer = 10 * time.Second

// sweepLimit bounds the removal of what earlier runs left, at which the run's end waits.
const sweepLimit = time.Minute

// Request is a run to be carried out.
type Request struct {
	Paths   []string
	Options Options
	RunsDir string
	RunID   string // empty = a new one
	MinFree int64  // bytes that must be free on the disks before the run starts; 0 = do not look
	Args    []string
	Tool    Tool
	Host    sidecar.Host
	// Guard is the command line that starts a guard for a run id.
	Guard func(runID string) []string
	// Tell hears what happens, from one goroutine at a time.
	Tell func(Event)
}

// Job is one trial that a run has to do: a plan, or why there is none.
type Job struct {
	Dir  string
	Plan *Plan
	Err  error

	name, legacy string
}

// Run carries out a request: it plans every task, runs trial after trial, and keeps run.json valid all the while. An error means that nothing ran: a
// *UsageError or the tasks' own errors, a *sidecar.UnusableError or a *sidecar.SpaceError; with a record beside it, it is a *UnrecordedError. Everything else is in the record.
func Run(ctx context.Context, q *Request) (*RunRecord, *Folder, error) {
	jobs, err := Plans(ctx, q.Paths, &q.Options)
	if err != nil {
		return nil, nil, err
	}
	refuseBinds(jobs, q.Host)
	if !slices.ContainsFunc(jobs, func(j Job) bool { return j.Err == nil }) {
		var all []error
		for _, j := range jobs {
			all = append(all, j.Err)
		}
		return nil, nil, errors.Join(all...)
	}
	conn, err := sidecar.Connect(q.Host)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	info, err := Preflight(ctx, conn, sidecar.Room{RunsDir: q.RunsDir, MinFree: q.MinFree})
	if err != nil {
		return nil, nil, err
	}
	warnLoose(jobs, info)
	s, err := newSession(ctx, q, conn, info, len(jobs))
	if err != nil {
		return nil, nil, err
	}
	rec := s.run(ctx, jobs)
	if s.unwritten != nil {
		return rec, s.folder, &UnrecordedError{Cause: s.unwritten}
	}
	return rec, s.folder, nil
}

// UnrecordedError says that a run went to its end and run.json could not be written. The trials' own records may be there; Rebuild makes run.json from them.
type UnrecordedError struct{ Cause error }

func (e *UnrecordedError) Error() string {
	return "run.json is not up to date: " + e.Cause.Error() + "; `seatrial summarize` rebuilds it from the trials' records once there is room"
}

func (e *UnrecordedError) Unwrap() error { return e.Cause }

// Ping asks an engine who it is, and waits ten seconds for the answer. The error is a *sidecar.UnusableError.
func Ping(ctx context.Context, conn *sidecar.Engine) (sidecar.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, engineAnswer)
	defer cancel()
	return conn.Ping(ctx)
}

// session is one run under way.
type session struct {
	q       *Request
	conn    *sidecar.Engine
	folder  *Folder
	rec     *RunRecord
	guard   *sidecar.Guard
	swept   chan error
	tell    sync.Mutex
	planned int
	started time.Time

	running   atomic.Int32
	unwritten error // the last try to write run.json failed
}

func newSession(ctx context.Context, q *Request, conn *sidecar.Engine, info sidecar.Info, planned int) (*session, error) {
	started := time.Now()
	id := q.RunID
	if id == "" {
		id = NewRunID(started)
	}
	folder, err := CreateFolder(q.RunsDir, id)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	s := &session{q: q, conn: conn, folder: folder, planned: planned, started: started, swept: make(chan error, 1)}
	s.guard, err = conn.StartGuard(ctx, q.Guard(id)...)
	if err != nil {
		folder.Close()
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepLimit)
		defer cancel()
		_, err := conn.Sweep(ctx, sidecar.Self(), false, false)
		s.swept <- err
	}()
	s.rec = newRunRecord(q, id, started, conn.Host(), info, planned)
	if err := folder.WriteRun(s.rec); err != nil {
		s.guard.Abandon()
		folder.Close()
		return nil, &UsageError{Cause: err}
	}
	return s, nil
}

// run does the jobs one after another. A trial that fails, whatever the reason, never stops the next; an interrupt does.
func (s *session) run(ctx context.Context, jobs []Job) *RunRecord {
	defer s.folder.Close()
	s.emit(Event{Kind: OnRunStarted, Time: time.Now(), Planned: s.planned, Text: s.folder.Path})
	watch, unwatch := s.conn.Watch(context.WithoutCancel(ctx), s.folder.RunID)
	defer unwatch()
	r := &Runner{Engine: RealEngine{Conn: s.conn, Store: images.New(s.conn.Builds()), Watch: watch}, Folder: s.folder, Owner: sidecar.Self(),
		Keep: s.q.Options.Keep, Tool: s.q.Tool, Tell: s.emit}
	stop := context.AfterFunc(ctx, s.interrupted)
	defer stop()
	for _, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		s.running.Add(1)
		rec := s.one(ctx, r, j)
		s.running.Add(-1)
		s.add(rec)
	}
	s.finish(ctx)
	return s.rec
}

// interrupted tells at once what an interrupt leads to: silence would provoke a kill that leaves things behind.
func (s *session) interrupted() {
	n := int(s.running.Load())
	s.emit(Event{Kind: OnInterrupt, Time: time.Now(), Text: fmt.Sprintf("removing %d running trial%s; a few seconds are normal", n, map[bool]string{true: "", false: "s"}[n == 1])})
}

func (s *session) one(ctx context.Context, r *Runner, j Job) *TrialRecord {
	if j.Err == nil {
		rec, err := r.Trial(ctx, j.Plan)
		if err != nil {
			rec.Case.Warnings = append(rec.Case.Warnings, Warning{Code: "record_unwritten", Message: err.Error()})
		}
		return rec
	}
	rec := &TrialRecord{Case: brokenCase(j, mask.NewMasker(s.q.Options.SecretValues))}
	s.emit(Event{Kind: OnTrialFinished, Time: time.Now(), Trial: j.name, CaseID: j.legacy, Case: &rec.Case})
	return rec
}

// add puts a finished trial into run.json.
func (s *session) add(rec *TrialRecord) {
	s.rec.Cases = append(s.rec.Cases, rec.Case)
	slices.SortStableFunc(s.rec.Cases, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	maps.Copy(s.rec.Environment.Images, rec.imageRefs)
	s.rec.Leaks = append(s.rec.Leaks, rec.Leaks...)
	s.rec.EngineRetries += rec.moved
	s.rec.Summary = Summarize(s.rec.Cases, s.planned)
	s.write()
}

func (s *session) write() {
	s.unwritten = s.folder.WriteRun(s.rec)
	if err := s.unwritten; err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: err.Error()})
	}
}

// finish looks once more that nothing of the run is left, and closes the record.
func (s *session) finish(ctx context.Context) {
	if err := <-s.swept; err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: "what earlier runs left behind could not all be removed: " + err.Error()})
	}
	now := s.started.UTC().Add(time.Since(s.started)) // by the monotonic clock: never before the start
	s.rec.FinishedAt, s.rec.Status = &now, RunFinished
	var i *InterruptedError
	if errors.As(context.Cause(ctx), &i) {
		s.rec.Status = RunInterrupted
	}
	s.rec.Summary, s.rec.EngineCalls = Summarize(s.rec.Cases, s.planned), s.conn.Calls()
	s.rec.EngineRetries += s.conn.Retries()
	s.write()
	if len(s.rec.Leaks) > 0 || s.conn.Unsure() {
		s.guard.Abandon() // it tries again for a while, and finds what a request that was never answered made after all
	} else if err := s.guard.Release(); err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: err.Error()})
	}
	s.emit(Event{Kind: OnRunFinished, Time: now, Summary: &s.rec.Summary, Text: s.folder.Path})
}

// emit hands an event to the run's file and to whoever watches, one at a time.
func (s *session) emit(e Event) {
	s.tell.Lock()
	defer s.tell.Unlock()
	s.folder.Append(e)
	if s.q.Tell != nil {
		s.q.Tell(e)
	}
}

// UsageError says that a run was asked for in a way that cannot be carried out.
type UsageError struct{ Cause error }

func (e *UsageError) Error() string { return e.Cause.Error() }

func (e *UsageError) Unwrap() error { return e.Cause }

// Plans finds, loads and plans every task of some paths. A task that is broken becomes a job with an error, since it must not stop the others; the error
// returned is about the paths or about tasks that exclude each other.
func Plans(ctx context.Context, paths []string, o *Options) ([]Job, error) {
	dirs, err := task.Find(paths)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	jobs := make([]Job, len(dirs))
	relative := relativeNames(dirs)
	names := newNamer()
	for i, dir := range dirs {
		jobs[i] = Job{Dir: dir, name: names.name(relative[i]), legacy: relative[i]}
		t, err := task.Load(dir, task.Options{Lax: o.Lax})
		if err != nil {
			jobs[i].Err = err
			continue
		}
		jobs[i].legacy = cmp.Or(t.Config.Task.Name, relative[i])
		if err := caseFile(t); err != nil {
			jobs[i].Err = err
			continue
		}
		jobs[i].Plan, jobs[i].Err = MakePlan(ctx, t, jobs[i].name, jobs[i].legacy, o)
	}
	return jobs, collisions(jobs)
}
