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
	s, err := newSession(ctx, q, conn, sidecar.Info{Name: "Docker Engine", Version: "28.5.2", API: "1.51", OS: "linux", Arch: "amd64", Kernel: "6.1"}, planned)
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
		s.s.add(s.s.one(ctx, r, j))
		after(s.s.rec)
	}
}

// Finish ends the run.
func (s *Session) Finish(ctx context.Context) *RunRecord {
	s.s.finish(ctx)
	s.s.folder.Close()
	return s.s.rec
}

// Path is the run's folder.
func (s *Session) Path() string { return s.s.folder.Path }

// PhaseSlack is how much longer than its command the agent's and the verifier's phase may take.
const PhaseSlack time.Duration = phaseSlack
