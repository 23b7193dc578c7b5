package sidecar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// A call that may be made again is tried this often, with pauses that triple.
const (
	callTries  = 4
	firstPause = 100 * time.Millisecond
)

// maxAnswer is how much of an answer is read before it is handed on. Answers in full are what retries are decided on.
const maxAnswer = 32 << 20

// CallError says that the engine did not answer a call, or not to its end.
type CallError struct {
	Call  string        // "get containers/json"
	Limit time.Duration // how long it was silent; 0 = the connection broke
	Tries int
	Cause error
}

func (e *CallError) Error() string {
	s := fmt.Sprintf("the engine broke off its answer to %q", e.Call)
	if e.Limit > 0 {
		s = fmt.Sprintf("the engine was silent on %q for %s", e.Call, e.Limit)
	}
	if e.Tries > 1 {
		s += fmt.Sprintf(" (tried %d times)", e.Tries)
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *CallError) Unwrap() error { return e.Cause }

// counts are of all requests of one engine's connection.
type counts struct {
	calls, retries atomic.Int64
	// unsure counts requests that may have made something without an answer.
	unsure atomic.Int64
}

// transport bounds every request by the engine's silence, makes those again that may be, and counts. It is the one place that does.
type transport struct {
	next http.RoundTripper
	*counts
	most  time.Duration // upper bound of all limits; 0 = none
	lanes *lanes
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := callOf(r.Method, r.URL.Path)
	if t.most > 0 {
		c.limit = min(c.limit, t.most)
	}
	leave, err := t.lanes.enter(r.Context(), c.lane)
	if err != nil {
		return nil, err
	}
	defer leave()
	req, wait := r, firstPause
	for n := 1; ; n++ {
		resp, err := t.once(req, c)
		if err != nil && c.makes {
			t.unsure.Add(1)
		}
		var ours *CallError
		if errors.As(err, &ours) {
			ours.Tries = n
		}
		next, ok := second(r)
		if n == callTries || !c.again || !ok || !passing(resp, err) || r.Context().Err() != nil {
			note(r.Context(), err)
			return resp, err
		}
		if resp != nil {
			_ = resp.Body.Close() // it has been read
		}
		if pause(r.Context(), wait) != nil {
			return nil, err
		}
		req, wait = next, 3*wait
		t.retries.Add(1)
		tallied(r.Context(), true)
	}
}

// second is the request once more, if its body can be had again.
func second(r *http.Request) (*http.Request, bool) {
	again := r.Clone(r.Context())
	if r.Body == nil || r.Body == http.NoBody {
		return again, true
	}
	if r.GetBody == nil {
		return nil, false
	}
	body, err := r.GetBody()
	again.Body = body
	return again, err == nil
}

// passing says whether an answer may be another one next time.
func passing(resp *http.Response, err error) bool {
	if err != nil {
		return true
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// once makes a request. The answer is complete, unless it is a stream.
func (t *transport) once(r *http.Request, c call) (*http.Response, error) {
	t.calls.Add(1)
	tallied(r.Context(), false)
	if c.limit == 0 {
		return t.next.RoundTrip(r) //nolint:wrapcheck // a transport hands errors on unchanged
	}
	w := watchSilence(r.Context(), c.limit)
	req := r.WithContext(w.ctx) //nolint:contextcheck // it is derived from the request's own
	if r.Body != nil && r.Body != http.NoBody {
		req.Body = fed{r.Body, w}
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		err = w.explain(r.Context(), c, err)
		w.stop()
		return nil, err
	}
	if c.stream && resp.StatusCode < http.StatusBadRequest {
		if !c.flows {
			w.rest()
		}
		resp.Body = &flowing{body: resp.Body, w: w, caller: r.Context().Err, c: c}
		return resp, nil
	}
	defer w.stop()
	return complete(r.Context(), resp, w, c)
}

// complete reads the answer to its end, so that one that breaks off is noticed here.
func complete(ctx context.Context, resp *http.Response, w *silence, c call) (*http.Response, error) {
	body := resp.Body
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(fed{body, w}, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("more than %d bytes", maxAnswer)
	}
	if err != nil {
		return nil, w.explain(ctx, c, err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// fed notes that bytes flow.
type fed struct {
	io.ReadCloser
	w *silence
}

// Read implements io.Reader.
func (f fed) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.w.feed()
	return n, err //nolint:wrapcheck // a reader hands errors on
}

// flowing is the body of a stream.
type flowing struct {
	body   io.ReadCloser
	w      *silence
	caller func() error // the caller's context
	c      call
}

// Read implements io.Reader. An end that is none is a *CallError.
func (f *flowing) Read(p []byte) (int, error) {
	n, err := f.body.Read(p)
	if f.c.flows {
		f.w.feed()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.w.named(f.caller(), f.c, err)
	}
	return n, err
}

// Close implements io.Closer.
func (f *flowing) Close() error {
	err := f.body.Close()
	f.w.stop()
	return err //nolint:wrapcheck // a reader hands errors on
}
