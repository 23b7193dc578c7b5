package orchestrator

import (
	"fmt"
	"time"
)

// emit hands an event to the run's file and to whoever watches, one at a time.
func (s *session) emit(e Event) {
	s.tell.Lock()
	defer s.tell.Unlock()
	s.folder.Append(e)
	if s.q.Tell != nil {
		s.q.Tell(e)
	}
}

// opening tells that the run begins, and with which trials.
func (s *session) opening(all []*errand) {
	s.emit(Event{Kind: OnRunStarted, Time: time.Now(), Format: EventsFormat, SchemaVersion: EventsVersion, RunID: s.folder.RunID, Planned: len(all), Text: s.folder.Path})
	if s.stays != "" {
		s.emit(Event{Kind: OnNote, Time: time.Now(), Text: s.stays})
	}
	for _, e := range all {
		s.queued(e)
	}
}

// queued tells that a trial waits for its turn.
func (s *session) queued(e *errand) {
	ev := Event{Kind: OnTrialQueued, Time: time.Now(), Trial: e.job.name, CaseID: e.job.caseID()}
	if s.book.synthetic() && e.job.Plan != nil {
		ev.StandIn = e.job.Plan.Agent.String()
	}
	s.emit(ev)
}

// interrupted tells at once what an interrupt leads to: silence would provoke a kill that leaves things behind.
func (s *session) interrupted() {
	n := int(s.running.Load())
	s.emit(Event{Kind: OnInterrupt, Time: time.Now(), Text: fmt.Sprintf("removing %d running trial%s; a few seconds are normal", n, map[bool]string{true: "", false: "s"}[n == 1])})
}
