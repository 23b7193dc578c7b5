package spans

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/seatrial/seatrial/orchestrator"
)

// EndLimit is how long the end waits for a receiver.
const EndLimit = 4 * time.Second

// LostError says that a receiver did not take all spans.
type LostError struct {
	Lost, All int
	Cause     error // nil = there was no answer in time
}

func (e *LostError) Error() string {
	why := "the receiver does not answer in time"
	if e.Cause != nil {
		why = e.Cause.Error()
	}
	return fmt.Sprintf("%d of %d spans were not taken: %s", e.Lost, e.All, why)
}

func (e *LostError) Unwrap() error { return e.Cause }

// pipe brings spans to a receiver, beside the run.
type pipe struct {
	provider *trace.TracerProvider
	sent     *counted
	start    starter
}

// FromEnv is a trace that goes where the environment says, and nil where it asks for none. The error is a *SettingError; a trace beside it is made all the same.
// It changes where the OpenTelemetry library of this process says what it has to say, and nothing else of that: other code that knows the library sends nothing.
func FromEnv(ctx context.Context, lookup func(string) (string, bool), tool orchestrator.Tool) (*Trace, error) {
	if ok, err := wanted(lookup); !ok {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	var said remarks
	said.take()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, &SettingError{Name: "the variables OTEL_*", Reason: err.Error()}
	}
	sent := &counted{SpanExporter: exporter}
	p := trace.NewTracerProvider(trace.WithResource(origin(ctx, tool)), trace.WithBatcher(sent))
	tracer := p.Tracer("github.com/seatrial/seatrial")
	return &Trace{pipe: pipe{provider: p, sent: sent, start: starting(ctx, tracer)}, trials: map[string]*open{}}, said.problem()
}

// origin is who the spans are from. Of the machine and the process there is nothing but what the environment says.
func origin(ctx context.Context, tool orchestrator.Tool) *resource.Resource {
	r, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", tool.Name), attribute.String("service.version", tool.Version)), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil && r == nil {
		return resource.Empty()
	}
	return r // what could be read of it
}

// Close sends what is left, and waits for that as long as EndLimit. The error is a *LostError.
func (t *Trace) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), EndLimit)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what it did not achieve is counted
	n, err := t.sent.count()
	_ = t.sent.Shutdown(ctx) // ends a request that is still under way
	if n >= t.ended {
		return nil
	}
	return &LostError{Lost: t.ended - n, All: t.ended, Cause: err}
}

// counted is an exporter that counts what it has brought to a receiver and keeps its errors, which the library would print one by one.
type counted struct {
	trace.SpanExporter
	mu   sync.Mutex
	sent int
	err  error // the last one
}

// ExportSpans sends spans. It returns no error.
func (c *counted) ExportSpans(ctx context.Context, list []trace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, list)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.err = err
	} else {
		c.sent += len(list)
	}
	return nil
}

func (c *counted) count() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent, c.err
}
