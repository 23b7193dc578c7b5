// Package sidecar brings the containers of one trial up on an engine, runs commands in them, moves files in and out, and
// takes everything down again. Together with package images it is the only code that talks to an engine.
package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/docker/docker/client"
)

// minAPI is the oldest engine API that the tool is tested with (Docker 20.10).
const minAPI = "1.41"

// Engine is a connection to one container engine. It is safe for concurrent use.
type Engine struct {
	api    *client.Client
	host   Host
	calls  *atomic.Int64
	verMu  sync.Mutex
	info   *Info
	helper helperState
	shared sharedState
}

// Info is what the engine says of itself.
type Info struct {
	Name       string // "Docker Engine", "Podman Engine", ...
	Version    string
	API        string // the API version in use
	OS, Arch   string
	Kernel     string
	MinAPI     string
	Components map[string]string
}

// Connect prepares a connection to the engine at host. Nothing is sent yet; Ping does that.
func Connect(host Host) (*Engine, error) {
	e := &Engine{host: host, calls: new(atomic.Int64)}
	opts, err := host.clientOptions(e.calls)
	if err != nil {
		return nil, err
	}
	api, err := client.NewClientWithOpts(append(opts, client.WithAPIVersionNegotiation())...)
	if err != nil {
		return nil, &UnusableError{Host: host.Address, Source: host.Source, Reason: "the address cannot be used", Cause: err}
	}
	e.api = api
	return e, nil
}

// Client is the engine's client, for package images.
func (e *Engine) Client() *client.Client { return e.api }

// Host is where the engine is and who said so.
func (e *Engine) Host() Host { return e.host }

// Calls counts the requests sent to the engine so far; an exec's attached stream counts once.
func (e *Engine) Calls() int64 { return e.calls.Load() }

// Close releases idle connections.
func (e *Engine) Close() error {
	if err := e.api.Close(); err != nil {
		return fmt.Errorf("close the engine's connections: %w", err)
	}
	return nil
}

// Ping asks the engine who it is, once; later calls answer from memory. An engine that does not answer before ctx ends, is too
// old, or refuses is a *UnusableError.
func (e *Engine) Ping(ctx context.Context) (Info, error) {
	e.verMu.Lock()
	defer e.verMu.Unlock()
	if e.info != nil {
		return *e.info, nil
	}
	started := time.Now()
	e.api.NegotiateAPIVersion(ctx)
	v, err := e.api.ServerVersion(ctx)
	if err != nil {
		return Info{}, e.unusable(ctx, err, time.Since(started))
	}
	in := Info{Name: v.Platform.Name, Version: v.Version, API: e.api.ClientVersion(), OS: v.Os, Arch: v.Arch, Kernel: v.KernelVersion, MinAPI: v.MinAPIVersion,
		Components: map[string]string{}}
	if in.Name == "" {
		in.Name = "Docker Engine"
	}
	for _, c := range v.Components {
		in.Components[c.Name] = c.Version
	}
	if older(v.APIVersion, minAPI) {
		return Info{}, &UnusableError{Host: e.host.Address, Source: e.host.Source,
			Reason: fmt.Sprintf("it speaks API %s, and %s (Docker 20.10) or later is needed", v.APIVersion, minAPI)}
	}
	if in.OS != "linux" {
		return Info{}, &UnusableError{Host: e.host.Address, Source: e.host.Source, Reason: "it runs " + in.OS + " containers, and linux ones are needed"}
	}
	e.info = &in
	return in, nil
}

func (e *Engine) unusable(ctx context.Context, err error, waited time.Duration) error {
	reason := "it does not answer as a container engine"
	switch {
	case ctx.Err() != nil:
		reason = fmt.Sprintf("no answer within %s", waited.Round(100*time.Millisecond))
	case client.IsErrConnectionFailed(err):
		reason = "nothing accepts connections there; is the engine running, and may this user use it?"
	}
	return &UnusableError{Host: e.host.Address, Source: e.host.Source, Reason: reason, Cause: err}
}

// older compares API versions such as "1.41" part by part.
func older(a, b string) bool {
	var a1, a2, b1, b2 int
	if _, err := fmt.Sscanf(a, "%d.%d", &a1, &a2); err != nil {
		return false
	}
	if _, err := fmt.Sscanf(b, "%d.%d", &b1, &b2); err != nil {
		return false
	}
	return a1 < b1 || a1 == b1 && a2 < b2
}

// counter counts requests on their way to the engine.
type counter struct {
	next http.RoundTripper
	n    *atomic.Int64
}

func (c counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.next.RoundTrip(r) //nolint:wrapcheck // a transport hands errors on unchanged
}
