package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/mask"
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
	Batch   Batch
	// Resume is the folder of an earlier run that is gone on with: only what is missing or incomplete in it is run. RerunChanged runs what is complete and has
	// changed as well, instead of refusing.
	Resume       string
	RerunChanged bool
	// NoSnapshot keeps no copies of tasks and agents in the run's folder.
	NoSnapshot bool
	// Capture keeps the end state of the agent's container in each trial's folder.
	Capture bool
	// Look pauses the one trial of the run for a look inside; nil = it does not.
	Look    *Look
	MinFree int64 // bytes that must be free on the disks before the run starts; 0 = do not look
	Args    []string
	Tool    Tool
	Host    sidecar.Host
	// Reproduces is set for a run that runs a recorded trial again.
	Reproduces *Reproduction
	// Guard is the command line that starts a guard for a run id.
	Guard func(runID string) []string
	// Tell hears what happens, from one goroutine at a time.
	Tell func(Event)
}

// Run carries out a request: it plans every task, runs trial after trial, and keeps run.json valid all the while. An error means that nothing ran: a
// *UsageError or the tasks' own errors, a *sidecar.UnusableError or a *sidecar.SpaceError; with a record beside it, it is a *UnrecordedError. Everything else is in the record.
func Run(ctx context.Context, q *Request) (*RunRecord, *Folder, error) {
	jobs, err := Plans(ctx, q.Paths, &q.Options)
	if err != nil {
		return nil, nil, err
	}
	return runJobs(ctx, q, jobs)
}

// runJobs carries out a request whose tasks are planned.
func runJobs(ctx context.Context, q *Request, jobs []Job) (*RunRecord, *Folder, error) {
	if err := q.Look.check(q, jobs); err != nil {
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
	s, closing, err := open(ctx, q, jobs, bookOfRun)
	if err != nil {
		return nil, nil, err
	}
	defer closing()
	rec := s.run(ctx, jobs)
	if s.unwritten != nil {
		return rec, s.folder, &UnrecordedError{Cause: s.unwritten}
	}
	return rec, s.folder, nil
}

// open connects to the engine, sees that it can be used, and begins a session.
func open(ctx context.Context, q *Request, jobs []Job, b func(*session) book) (*session, func(), error) {
	conn, err := sidecar.Connect(q.Host)
	if err != nil {
		return nil, nil, err
	}
	info, err := Preflight(ctx, conn, sidecar.Room{RunsDir: q.RunsDir, MinFree: q.MinFree})
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	warnLoose(jobs, info)
	s, err := newSession(ctx, q, conn, info, jobs, len(jobs), b)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return s, func() { _ = conn.Close() }, nil
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
	book    book
	q       *Request
	conn    *sidecar.Engine
	folder  *Folder
	rec     *RunRecord
	guard   *sidecar.Guard
	swept   chan error
	tell    sync.Mutex
	planned int
	started time.Time

	engine Engine // nil = that of conn
	info   sidecar.Info
	names  *namer // of trials' folders

	remaining    []*errand // of a run that is gone on with
	stays        string    // how much of it stays as it is, in words
	calledBefore int64     // requests to the engine in it
	leftBefore   []string  // what it had left behind
	release      func()    // of the run

	running    atomic.Int32
	incomplete atomic.Int32
	naming     sync.Mutex
	holding    sync.Mutex
	asked      time.Time // when trials could last be begun; see fit

	booking   sync.Mutex
	written   time.Time     // when the record last was
	cost      time.Duration // of writing it
	dirty     bool          // something was added since
	unwritten error         // the last try to write it failed
}

func newSession(ctx context.Context, q *Request, conn *sidecar.Engine, info sidecar.Info, jobs []Job, planned int, b func(*session) book) (*session, error) {
	started := time.Now()
	id := q.RunID
	if id == "" {
		id = NewRunID(started)
	}
	folder, err := openOrCreate(q, &id)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	release, err := holdRun(ctx, folder.Path)
	if err != nil {
		folder.Close()
		return nil, &UsageError{Cause: err}
	}
	s := &session{release: release, q: q, conn: conn, folder: folder, planned: planned, started: started, swept: make(chan error, 1), info: info, names: newNamer()}
	s.guard, err = conn.StartGuard(ctx, q.Guard(id)...)
	if err != nil {
		release()
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
	s.book = b(s)
	if q.Resume != "" {
		err = s.goOn(jobs)
	}
	if err == nil {
		err = s.book.write()
	}
	if err != nil {
		s.guard.Abandon()
		release()
		folder.Close()
		return nil, &UsageError{Cause: err}
	}
	return s, nil
}

// openOrCreate is the folder of the run that is gone on with, or a new one.
func openOrCreate(q *Request, id *string) (*Folder, error) {
	if q.Resume == "" {
		return CreateFolder(q.RunsDir, *id)
	}
	f, err := OpenFolder(q.Resume)
	if err == nil {
		*id = f.RunID
	}
	return f, err
}

// runner carries out trials on the session's engine. unwatch ends the watching of its events.
func (s *session) runner(ctx context.Context) (r *Runner, unwatch func()) {
	engine, unwatch := s.engine, func() {}
	if engine == nil {
		watch, end := s.conn.Watch(context.WithoutCancel(ctx), s.folder.RunID)
		engine, unwatch = RealEngine{Conn: s.conn, Store: images.New(s.conn.Builds()), Watch: watch}, end
	}
	return &Runner{Engine: engine, Folder: s.folder, Owner: sidecar.Self(),
		Keep: s.q.Options.Keep, KeepFor: s.q.Options.KeepFor, Look: s.q.Look, Tool: s.q.Tool, Tell: s.emit, Synthetic: s.book.synthetic(), seats: s.seats(),
		Surroundings: surroundings(s.q, s.rec, s.info, s.planned*max(1, s.q.Batch.Trials)), crowd: &crowd{}}, unwatch
}

// errands are the session's trials, in the order in which they are begun.
func (s *session) errands(jobs []Job) []*errand {
	if s.q.Resume != "" {
		return s.remaining
	}
	for _, j := range jobs {
		s.names.used[j.name] = true
	}
	return errands(jobs, &s.q.Batch, s.names, durations(s.q, len(jobs)))
}

func (s *session) one(ctx context.Context, r *Runner, e *errand) *TrialRecord {
	j := e.job
	if j.Err == nil {
		rec, err := r.Trial(ctx, j.Plan)
		if err != nil {
			rec.Case.Warnings = append(rec.Case.Warnings, Warning{Code: "record_unwritten", Message: err.Error()})
		}
		return rec
	}
	rec := &TrialRecord{imageRefs: map[string]string{}, Case: brokenCase(j, mask.NewMasker(s.q.Options.SecretValues))}
	rec.Case.Trial = j.trial
	s.emit(Event{Kind: OnTrialFinished, Time: time.Now(), Trial: j.name, CaseID: j.legacy, Case: &rec.Case})
	return rec
}

// finish looks once more that nothing of the run is left, and closes the record.
func (s *session) finish(ctx context.Context, stopped string) {
	if err := <-s.swept; err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: "what earlier runs left behind could not all be removed: " + err.Error()})
	}
	now := s.started.UTC().Add(time.Since(s.started)) // by the monotonic clock: never before the start
	s.rec.FinishedAt, s.rec.Status = &now, RunFinished
	var i *InterruptedError
	if errors.As(context.Cause(ctx), &i) {
		s.rec.Status = RunInterrupted
	}
	s.rec.Stopped = stopped
	s.rec.Leaks = append(s.stillLeft(ctx), s.rec.Leaks...)
	s.rec.EngineCalls = s.calledBefore + s.conn.Calls()
	s.rec.EngineRetries += s.conn.Retries()
	s.rec.Summary = Summarize(s.rec.Cases, s.planned)
	s.rec.measure(s.q.Options.PassBar)
	s.write()
	if len(s.rec.Leaks) > 0 || s.conn.Unsure() {
		s.guard.Abandon() // it tries again for a while, and finds what a request that was never answered made after all
	} else if err := s.guard.Release(); err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: err.Error()})
	}
	s.emit(Event{Kind: OnRunFinished, Time: now, Summary: &s.rec.Summary, Text: s.book.path(), Status: s.rec.Status, Stopped: stopped})
}

// UsageError says that a run was asked for in a way that cannot be carried out.
type UsageError struct{ Cause error }

func (e *UsageError) Error() string { return e.Cause.Error() }

func (e *UsageError) Unwrap() error { return e.Cause }
