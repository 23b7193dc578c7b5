// Package spans makes an OpenTelemetry trace of a run's events, and sends it to where the environment says: the run, in it its trials, in these their phases.
package spans

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seatrial/seatrial/orchestrator"
)

// The attributes of spans.
const (
	KeyRun     = attribute.Key("seatrial.run.id")
	KeyPlanned = attribute.Key("seatrial.run.planned")
	KeyStopped = attribute.Key("seatrial.run.stopped")
	KeyMean    = attribute.Key("seatrial.run.mean_score")
	KeyCase    = attribute.Key("seatrial.case.id")
	KeyTrial   = attribute.Key("seatrial.trial")
	KeyTask    = attribute.Key("seatrial.task.name")
	KeyStatus  = attribute.Key("seatrial.status")
	KeyScore   = attribute.Key("seatrial.score")
	KeyCode    = attribute.Key("seatrial.error.code")
	KeyPhase   = attribute.Key("seatrial.phase")
	KeyStep    = attribute.Key("seatrial.step")
	KeyFailed  = attribute.Key("seatrial.failed")
)

// missing is the status of a trial that was called off before it was started.
const missing = "missing"

// Trace makes spans of events, as these come. It is for one run, and for one goroutine at a time.
type Trace struct {
	pipe
	id     string
	run    trace.Span // nil before the run has begun
	trials map[string]*open
	ended  int // spans that are to be sent
}

// open is a trial under way.
type open struct {
	span   trace.Span
	phases map[orchestrator.Phase]trace.Span
}

// Tell takes an event and returns at once.
func (t *Trace) Tell(e orchestrator.Event) {
	switch {
	case e.Kind == orchestrator.OnRunStarted && t.run == nil:
		t.id = e.RunID
		t.run = t.start(nil, "run", e.Time, KeyRun.String(t.id), KeyPlanned.Int(e.Planned))
	case t.run == nil:
	case e.Kind == orchestrator.OnRunFinished:
		t.finish(&e)
	case e.Kind == orchestrator.OnTrialStarted:
		t.trial(&e)
	case e.Kind == orchestrator.OnTrialFinished:
		t.finishTrial(&e)
	case e.Kind == orchestrator.OnPhaseStarted || e.Kind == orchestrator.OnPhaseFinished:
		t.phase(&e)
	}
}

// trial is the trial that an event is about; it begins with its first event.
func (t *Trace) trial(e *orchestrator.Event) *open {
	o := t.trials[e.Trial]
	if o == nil {
		o = &open{phases: map[orchestrator.Phase]trace.Span{}}
		o.span = t.start(t.run, "trial "+e.CaseID, e.Time, KeyRun.String(t.id), KeyCase.String(e.CaseID), KeyTrial.String(e.Trial))
		t.trials[e.Trial] = o
	}
	return o
}

func (t *Trace) phase(e *orchestrator.Event) {
	o := t.trial(e)
	if e.Kind == orchestrator.OnPhaseStarted {
		s := t.start(o.span, string(e.Phase), e.Time, KeyCase.String(e.CaseID), KeyTrial.String(e.Trial), KeyPhase.String(string(e.Phase)))
		if e.Step != "" {
			s.SetAttributes(KeyStep.String(e.Step))
		}
		o.phases[e.Phase] = s
		return
	}
	if s := o.phases[e.Phase]; s != nil {
		if e.Failed {
			s.SetAttributes(KeyFailed.Bool(true))
		}
		t.end(s, e.Time)
		delete(o.phases, e.Phase)
	}
}

func (t *Trace) finishTrial(e *orchestrator.Event) {
	o := t.trial(e)
	for _, s := range o.phases {
		t.end(s, e.Time)
	}
	o.span.SetAttributes(outcome(e.Case)...)
	if e.Case != nil && e.Case.Status == orchestrator.Incomplete {
		code := ""
		if e.Case.Error != nil {
			code = e.Case.Error.Code
		}
		o.span.SetStatus(codes.Error, code)
	}
	t.end(o.span, e.Time)
	delete(t.trials, e.Trial)
}

// outcome is what became of a trial; nil = nothing, since it was called off.
func outcome(c *orchestrator.Case) []attribute.KeyValue {
	if c == nil {
		return []attribute.KeyValue{KeyStatus.String(missing)}
	}
	all := []attribute.KeyValue{KeyStatus.String(c.Status), KeyTask.String(c.Task.Name)}
	if c.Score != nil {
		all = append(all, KeyScore.Float64(*c.Score))
	}
	if c.Error != nil {
		all = append(all, KeyCode.String(c.Error.Code))
	}
	return all
}

func (t *Trace) finish(e *orchestrator.Event) {
	t.run.SetAttributes(KeyStatus.String(e.Status))
	if e.Stopped != "" {
		t.run.SetAttributes(KeyStopped.String(e.Stopped))
	}
	if e.Summary != nil && e.Summary.MeanScore != nil {
		t.run.SetAttributes(KeyMean.Float64(*e.Summary.MeanScore))
	}
	t.end(t.run, e.Time)
}

// end ends a span at a time.
func (t *Trace) end(s trace.Span, at time.Time) {
	if s.SpanContext().IsSampled() && s.IsRecording() {
		t.ended++
	}
	s.End(trace.WithTimestamp(at))
}

// starter starts a span in another, or in none.
type starter func(parent trace.Span, name string, at time.Time, all ...attribute.KeyValue) trace.Span

func starting(ctx context.Context, t trace.Tracer) starter {
	return func(parent trace.Span, name string, at time.Time, all ...attribute.KeyValue) trace.Span {
		ctx := ctx
		if parent != nil {
			ctx = trace.ContextWithSpan(ctx, parent)
		}
		_, s := t.Start(ctx, name, trace.WithTimestamp(at), trace.WithAttributes(all...))
		return s
	}
}
