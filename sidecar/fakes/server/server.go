package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// World answers calls. Do must be safe for concurrent use, and must answer every call, a nonsensical one too.
type World interface {
	Do(ctx context.Context, c world.Call) world.Answer
}

// Options are what a Server is made of.
type Options struct {
	World   World
	Servers []*spec.Server
	// Log gets what is wrong with the fakes themselves; nil drops it.
	Log *slog.Logger
	// Observe is called after each answered call, by many goroutines at a time; it may be nil.
	Observe func(world.Call, world.Answer)
}

// Server serves fakes. Its zero value is of no use; New makes one.
type Server struct {
	world   World
	log     *slog.Logger
	observe func(world.Call, world.Answer)
	ready   atomic.Bool
	mcp     map[string]http.Handler
	http    map[string]func(w http.ResponseWriter, r *http.Request, path string)
}

// New prepares the handlers of all servers. It returns a *ToolError when a tool cannot be shown over MCP.
func New(o Options) (*Server, error) {
	s := &Server{world: o.World, log: o.Log, observe: o.Observe, mcp: map[string]http.Handler{},
		http: map[string]func(http.ResponseWriter, *http.Request, string){}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.observe == nil {
		s.observe = func(world.Call, world.Answer) {}
	}
	origins := http.NewCrossOriginProtection() // MCP wants a request of a foreign web page refused with 403
	for _, f := range o.Servers {
		if f.Speaks(spec.MCP) {
			h, err := s.mcpHandler(f)
			if err != nil {
				return nil, err
			}
			s.mcp[f.Name] = origins.Handler(h)
		}
		if f.Speaks(spec.HTTP) {
			s.http[f.Name] = s.httpHandler(f)
		}
	}
	return s, nil
}

// SetReady lets /healthz say that the fakes are up.
func (s *Server) SetReady() { s.ready.Store(true) }

// Handler is the agent's plane: /mcp/<server>, /http/<server>/... and /healthz.
func (s *Server) Handler() http.Handler { return guarded(s.log, http.HandlerFunc(s.route)) }

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if path == "/healthz" {
		s.health(w, r)
		return
	}
	if name, ok := strings.CutPrefix(path, "/mcp/"); ok {
		if h, ok := s.mcp[strings.TrimSuffix(name, "/")]; ok {
			h.ServeHTTP(w, r)
			return
		}
	}
	if rest, ok := strings.CutPrefix(path, "/http/"); ok {
		name, inner, _ := strings.Cut(rest, "/")
		if h, ok := s.http[name]; ok {
			h(w, r, "/"+inner)
			return
		}
		s.unmatched(w, r, name, "/"+inner, nil, nil) // a request to a server that is not there is an attempt as well
		return
	}
	writeProblem(w, http.StatusNotFound, "there is no fake at this address; the addresses are /mcp/<server> and /http/<server>/...")
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, http.StatusMethodNotAllowed, "ask with GET")
		return
	}
	if !s.ready.Load() {
		writeProblem(w, http.StatusServiceUnavailable, "not ready yet")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{\"status\":\"ok\"}\n"))
}
