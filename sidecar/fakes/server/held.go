package server

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// held keeps an answer back until its faults are known. A stream of events is passed on as it comes, as it has no end to
// wait for. It is safe for a writer that outlives its request.
type held struct {
	mu      sync.Mutex
	to      http.ResponseWriter
	header  http.Header
	status  int
	body    bytes.Buffer
	passing bool
	closed  bool
}

func hold(w http.ResponseWriter) *held { return &held{to: w, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.status == 0 {
		h.status = status
	}
}

// Write implements http.ResponseWriter.
func (h *held) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return 0, http.ErrHandlerTimeout
	}
	if h.status == 0 {
		h.status = http.StatusOK
	}
	if !h.passing && strings.HasPrefix(h.header.Get("Content-Type"), "text/event-stream") {
		h.passing = true
		copyHeader(h.to.Header(), h.header)
		h.to.WriteHeader(h.status)
	}
	if h.passing {
		return h.to.Write(p) //nolint:wrapcheck // an io.Writer's own error
	}
	return h.body.Write(p) //nolint:wrapcheck // a buffer does not fail
}

// Flush implements http.Flusher.
func (h *held) Flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.passing && !h.closed {
		_ = http.NewResponseController(h.to).Flush()
	}
}

// close lets nothing more in and returns what is held; passed says that it has gone out already.
func (h *held) close() (status int, body []byte, passed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.status == 0 {
		h.status = http.StatusOK
	}
	return h.status, h.body.Bytes(), h.passing
}

// send writes an answer in one piece; cut sends only the first half, with a length that fits it, so that the client's
// parser finds the fault and not its transport.
func send(w http.ResponseWriter, header http.Header, status int, body []byte, cut bool) {
	if cut {
		body = body[:len(body)/2]
	}
	copyHeader(w.Header(), header)
	if status != http.StatusNoContent && status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func copyHeader(dst, src http.Header) {
	maps.Copy(dst, src)
}
