package orchestrator

import (
	"context"
	"sync"
	"time"
)

// book is where a session keeps what its trials come to.
type book interface {
	// add takes in a finished trial.
	add(j Job, rec *TrialRecord)
	// write makes the file on the disk what the book holds. It is called after every trial, and once before the first.
	write() error
	// path is the file's.
	path() string
	// synthetic says that the trials are no results.
	synthetic() bool
}

// add puts a finished trial into the record.
func (s *session) add(j Job, rec *TrialRecord) {
	s.booking.Lock()
	defer s.booking.Unlock()
	s.book.add(j, rec)
	s.left(rec)
	s.dirty = true
	if len(s.rec.Cases) <= fewCases || time.Since(s.written) >= max(writeEvery, costly*s.cost) {
		s.write()
	}
}

// superseded keeps what a try that is not the trial's result has left behind.
func (s *session) superseded(rec *TrialRecord) {
	s.booking.Lock()
	defer s.booking.Unlock()
	s.left(rec)
}

func (s *session) left(rec *TrialRecord) {
	s.rec.Leaks = append(s.rec.Leaks, rec.Leaks...)
	s.rec.EngineRetries += rec.moved
}

// The record is written after every trial while it is small, and else so seldom that writing costs little however many trials there are.
const (
	fewCases   = 50
	writeEvery = 2 * time.Second
	costly     = 50
)

// flushing writes the record a while after something was added, when no trial ends that would. The function that it returns ends that.
func (s *session) flushing(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var w sync.WaitGroup
	w.Go(func() {
		for pause(ctx, max(writeEvery, costly*s.spent())) == nil {
			s.booking.Lock()
			if s.dirty {
				s.write()
			}
			s.booking.Unlock()
		}
	})
	return func() { cancel(); w.Wait() }
}

func (s *session) spent() time.Duration {
	s.booking.Lock()
	defer s.booking.Unlock()
	return s.cost
}

// write brings the record to the disk.
func (s *session) write() {
	began := time.Now()
	s.rec.Summary = Summarize(s.rec.Cases, s.planned)
	s.unwritten = s.book.write()
	s.written, s.dirty = time.Now(), false
	s.cost = s.written.Sub(began)
	if err := s.unwritten; err != nil {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Failed: true, Text: err.Error()})
	}
}
