// Package sidecar brings the containers of one trial up on an engine, runs commands in them, moves files in and out, and
// takes everything down again. Together with package images it is the only code that talks to an engine.
package sidecar

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/docker/docker/client"
)

// minAPI is the oldest engine API that the tool is tested with (Docker 20.10).
const minAPI = "1.41"

// Engine is a connection to one container engine. It is safe for concurrent use.
type Engine struct {
	api    *client.Client
	host   Host
	counts counts
	lanes  lanes
	verMu  sync.Mutex
	info   *Info
	shared sharedState

	shelves sync.Mutex // one shelf is filled at a time
}

// Info is what the engine says of itself.
type Info struct {
	Name       string // "Docker Engine", "Podman Engine", ...
	Version    string
	API        string // the API version in use
	OS, Arch   string
	Kernel     string
	MinAPI     string // the oldest and the newest API version that it speaks
	MaxAPI     string
	Components map[string]string
	// CPUs and Memory, in bytes, are what its machine has; 0 where it did not say. Only Preflight finds that out.
	CPUs   int
	Memory int64
	// Cgroup is the version of control groups, Storage the driver that keeps images, and Security what protects the machine from containers. Only Preflight finds that out.
	Cgroup, Storage, Security string
	// Loose are the resources whose limits the engine does not enforce. Only Preflight finds that out.
	Loose []Resource
}

// Resource is something that a container can be limited in.
type Resource string

// The resources.
const (
	Memory    Resource = "memory"
	CPUs      Resource = "cpus"
	Processes Resource = "processes"
)

// podman is the name of Podman's component in what its service says of itself.
const podman = "Podman Engine"

// Podman says whether the engine is Podman's Docker-compatible service, which leaves out some of what a Docker Engine does.
func (i Info) Podman() bool { _, ok := i.Components[podman]; return ok }

// Connect prepares a connection to the engine at host. Nothing is sent yet; Ping does that.
func Connect(host Host) (*Engine, error) {
	e := &Engine{host: host}
	if _, err := e.pool(); err != nil {
		return nil, err
	}
	opts, hc, err := host.clientOptions()
	if err != nil {
		return nil, err
	}
	api, err := client.NewClientWithOpts(append(opts, client.WithAPIVersionNegotiation())...)
	if err != nil {
		return nil, &UnusableError{Host: host.Address, Source: host.Source, Reason: "the address cannot be used", Cause: err}
	}
	hc.Transport = &transport{next: hc.Transport, counts: &e.counts, most: host.CallLimit, lanes: &e.lanes} // the client holds the same hc
	e.api = api
	return e, nil
}

// Client is the engine's client, for package images.
func (e *Engine) Client() *client.Client { return e.api }

// Host is where the engine is and who said so.
func (e *Engine) Host() Host { return e.host }

// Calls counts the requests sent to the engine so far; an exec's attached stream counts once.
func (e *Engine) Calls() int64 { return e.counts.calls.Load() }

// Retries counts the requests among them that were made again.
func (e *Engine) Retries() int64 { return e.counts.retries.Load() }

// Unsure says whether something may still come of requests that the engine never answered.
func (e *Engine) Unsure() bool { return e.counts.unsure.Load() > 0 }

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
	return e.ping(ctx, func() {})
}

// ping is Ping; agreed is called once it is known which version of the API to speak, while the answer is still awaited.
func (e *Engine) ping(ctx context.Context, agreed func()) (Info, error) {
	e.verMu.Lock()
	defer e.verMu.Unlock()
	if e.info != nil {
		agreed()
		return *e.info, nil
	}
	in, err := e.ask(ctx, agreed)
	if err != nil {
		return Info{}, err
	}
	e.info = &in
	return in, nil
}

// Answers asks the engine whether it is there now. One that does not answer before ctx ends is a *UnusableError.
func (e *Engine) Answers(ctx context.Context) error {
	started := time.Now()
	ctx, met := troubled(ctx)
	if _, err := e.api.Ping(ctx); err != nil {
		return whyUnusable(e.host, met.or(err), time.Since(started), ctx.Err() != nil)
	}
	return nil
}

// ask asks the engine who it is, and refuses those that the tool cannot work with.
func (e *Engine) ask(ctx context.Context, agreed func()) (Info, error) {
	started := time.Now()
	ctx, met := troubled(ctx)
	unusable := func(reason, hint string, cause error) (Info, error) {
		return Info{}, &UnusableError{Host: e.host.Address, Source: e.host.Source, Reason: reason, Hint: hint, Cause: cause}
	}
	ping, err := e.api.Ping(ctx)
	if err != nil {
		return Info{}, whyUnusable(e.host, met.or(err), time.Since(started), ctx.Err() != nil)
	}
	e.api.NegotiateAPIVersionPing(ping)
	agreed()
	v, err := e.api.ServerVersion(ctx)
	switch {
	case tooNew(err) && ping.APIVersion != "":
		return unusable("it no longer speaks API "+e.api.ClientVersion()+", the newest that this seatrial knows", "use a newer seatrial, or an older engine", err)
	case err != nil:
		return Info{}, whyUnusable(e.host, met.or(err), time.Since(started), ctx.Err() != nil)
	case v.APIVersion == "" || v.Os == "":
		return unusable("what answers there is no container engine", "", nil)
	case older(v.APIVersion, minAPI):
		return unusable(fmt.Sprintf("it speaks API %s, and %s (Docker 20.10) or later is needed", v.APIVersion, minAPI), "update the engine", nil)
	case v.Os != "linux":
		return unusable("it runs "+v.Os+" containers, and linux ones are needed", "switch it to Linux containers", nil)
	}
	in := Info{Name: v.Platform.Name, Version: v.Version, API: e.api.ClientVersion(), OS: v.Os, Arch: v.Arch, Kernel: v.KernelVersion, MinAPI: v.MinAPIVersion, MaxAPI: v.APIVersion,
		Components: map[string]string{}}
	for _, c := range v.Components {
		in.Components[c.Name] = c.Version
	}
	switch {
	case in.Podman():
		in.Name = podman // which names the platform otherwise
	case in.Name == "":
		in.Name = "Docker Engine"
	}
	return in, nil
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
