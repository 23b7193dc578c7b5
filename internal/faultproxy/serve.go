package faultproxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := KindOf(r.Method, r.URL.Path)
	f := p.fate(kind)
	switch f.What {
	case Delayed:
		if !p.wait(r, f.After) {
			return
		}
	case DroppedBefore:
		abort(r)
	case Answered:
		refuse(w, r, f.Status)
		return
	case Hung:
		p.hang(r)
		return
	case Dead:
		go func() { _ = p.Close() }()
		<-p.closed
		abort(r)
	case DroppedAfter, Truncated, Duplicated, AnsweredAfter, HungAfter, Stalled:
	}
	if kind.Upgrades() {
		p.upgrade(w, r, kind, f)
		return
	}
	p.exchange(w, r, kind, f)
}

// exchange asks the engine and does to its answer what the fault says.
func (p *Proxy) exchange(w http.ResponseWriter, r *http.Request, kind Kind, f Fault) {
	switch f.What {
	case DroppedAfter, AnsweredAfter, HungAfter, Duplicated:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			abort(r)
		}
		p.unheard(r, kind, body)
		switch f.What {
		case AnsweredAfter:
			refuse(w, r, f.Status)
			return
		case HungAfter:
			p.hang(r)
			return
		case Duplicated:
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.TransferEncoding = nil
		default:
			abort(r)
		}
	case Truncated, Stalled:
		w = &short{ResponseWriter: w, left: f.Bytes, end: func() {
			if f.What == Stalled {
				p.hang(r)
			}
			panic(http.ErrAbortHandler)
		}}
	}
	p.pass(kind)
	p.forward.ServeHTTP(w, r)
}

// unheard has the engine carry a request out to its end. Of an answer that may have none only the beginning is waited for.
func (p *Proxy) unheard(r *http.Request, kind Kind, body []byte) {
	req := r.Clone(r.Context())
	req.URL.Scheme, req.URL.Host, req.RequestURI = "http", "engine", ""
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	p.pass(kind)
	resp, err := p.direct.RoundTrip(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if !kind.streams() {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
}

// wait returns false when the client or the proxy is gone.
func (p *Proxy) wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-p.closed:
	}
	return false
}

// hang waits until the client gives up. Only a request that was read to its end lets that be noticed.
func (p *Proxy) hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	select {
	case <-r.Context().Done():
	case <-p.closed:
	}
}

// abort breaks the connection.
func abort(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

// refuse answers as the engine does.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": "injected: " + strings.ToLower(http.StatusText(status))})
}

// short passes so many bytes of a body on.
type short struct {
	http.ResponseWriter
	left int64
	end  func()
}

// Write implements io.Writer.
func (s *short) Write(b []byte) (int, error) {
	if int64(len(b)) <= s.left {
		s.left -= int64(len(b))
		return s.ResponseWriter.Write(b) //nolint:wrapcheck // handed on
	}
	_, _ = s.ResponseWriter.Write(b[:s.left])
	s.Flush()
	s.end()
	return 0, http.ErrAbortHandler
}

// Flush implements http.Flusher.
func (s *short) Flush() {
	if f, ok := s.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
