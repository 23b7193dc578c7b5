package images

import (
	"cmp"
	"context"
	"sync"

	"github.com/moby/buildkit/client/llb/sourceresolver"
	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
)

// witness notes what passes between the Dockerfile frontend and BuildKit: which
// base images there were, which one could not be had, and which lines the steps come from.
type witness struct {
	mu    sync.Mutex
	base  string
	lines map[digest.Digest]int
	bases bases
}

func (w *witness) missing(ref string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.base = cmp.Or(w.base, ref)
}

func (w *witness) steps(def *pb.Definition) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for step, at := range def.GetSource().GetLocations() {
		for _, l := range at.Locations {
			if len(l.Ranges) > 0 && l.Ranges[0].Start != nil {
				w.lines[digest.Digest(step)] = int(l.Ranges[0].Start.Line)
			}
		}
	}
}

func newWitness() *witness { return &witness{lines: map[digest.Digest]int{}} }

func (w *witness) watch(c gateway.Client) gateway.Client {
	return &watchedClient{Client: c, witness: w}
}

// watchedClient is BuildKit as the frontend sees it.
type watchedClient struct {
	gateway.Client
	witness *witness
}

// Solve implements gateway.Client.
func (w *watchedClient) Solve(ctx context.Context, req gateway.SolveRequest) (*gateway.Result, error) {
	w.witness.steps(req.Definition)
	return w.Client.Solve(ctx, req) //nolint:wrapcheck // BuildKit's own, which its frontend goes on with
}

// ResolveImageConfig implements gateway.Client.
func (w *watchedClient) ResolveImageConfig(ctx context.Context, ref string, opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	name, dgst, cfg, err := w.Client.ResolveImageConfig(ctx, ref, opt)
	switch {
	case err == nil:
		w.witness.bases.add(ref, dgst, cfg)
	case ctx.Err() == nil: // else it was called off because of something else
		w.witness.missing(ref)
	}
	return name, dgst, cfg, err //nolint:wrapcheck // BuildKit's own, which its frontend goes on with
}
