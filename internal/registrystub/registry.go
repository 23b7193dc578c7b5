// Package registrystub is an image registry on the loopback interface that behaves as badly as a test wants.
package registrystub

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Mood is how the registry answers.
type Mood struct {
	// Hang accepts requests and never answers.
	Hang bool
	// Reset closes connections without an answer.
	Reset bool
	// Status is answered to everything; 0 = the image is served.
	Status int
	// Times is how many requests are answered so, after which the image is served; 0 = all.
	Times int
	// RetryAfter is told with a Status of 429.
	RetryAfter time.Duration
}

// Registry serves one small image under every name. It is safe for concurrent use.
type Registry struct {
	addr   string
	server *http.Server
	image  image
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex
	mood     Mood
	requests int
}

// New starts a registry on a free port of 127.0.0.1. Close ends it.
func New(mood Mood) (*Registry, error) {
	img, err := makeImage()
	if err != nil {
		return nil, err
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("listen for the engine: %w", err)
	}
	r := &Registry{addr: l.Addr().String(), image: img, closed: make(chan struct{}), mood: mood}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

// Ref is the reference of an image in this registry. Engines take registries on the loopback interface without TLS.
func (r *Registry) Ref(name string) string { return r.addr + "/" + name + ":latest" }

// Requests counts what was asked so far.
func (r *Registry) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// Close ends the registry, and every request that hangs.
func (r *Registry) Close() error {
	var err error
	r.once.Do(func() {
		close(r.closed)
		err = r.server.Close()
	})
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the registry: %w", err)
	}
	return nil
}

// next counts a request and returns the mood that it meets.
func (r *Registry) next() Mood {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.mood.Times > 0 && r.requests > r.mood.Times {
		return Mood{}
	}
	return r.mood
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	m := r.next()
	switch {
	case m.Hang:
		select {
		case <-req.Context().Done():
		case <-r.closed:
		}
		return
	case m.Reset:
		panic(http.ErrAbortHandler)
	case m.Status != 0:
		refuse(w, req, m)
		return
	}
	r.serve(w, req)
}

// refuse answers with the error body of the distribution specification.
func refuse(w http.ResponseWriter, req *http.Request, m Mood) {
	code := map[int]string{http.StatusUnauthorized: "UNAUTHORIZED", http.StatusForbidden: "DENIED", http.StatusNotFound: "MANIFEST_UNKNOWN",
		http.StatusTooManyRequests: "TOOMANYREQUESTS"}[m.Status]
	if m.Status == http.StatusNotFound && strings.Trim(req.URL.Path, "/") == "v2" {
		w.WriteHeader(http.StatusOK) // it is a registry, and has no such image
		return
	}
	if m.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(m.RetryAfter.Seconds())))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(m.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{"code": code, "message": strings.ToLower(code)}}})
}

// serve answers as the distribution specification has it: the base, a manifest by any tag, blobs by digest.
func (r *Registry) serve(w http.ResponseWriter, req *http.Request) {
	path := strings.Trim(req.URL.Path, "/")
	switch {
	case path == "v2":
		w.WriteHeader(http.StatusOK)
	case strings.Contains(path, "/manifests/"):
		w.Header().Set("Content-Type", manifestType)
		w.Header().Set("Docker-Content-Digest", digestOf(r.image.manifest))
		_, _ = w.Write(r.image.manifest)
	case strings.Contains(path, "/blobs/"):
		_, digest, _ := strings.Cut(path, "/blobs/")
		data, ok := r.image.blobs[digest]
		if !ok {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(data)
	default:
		http.NotFound(w, req)
	}
}
