package images

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"

	"github.com/docker/cli/cli/config"
	"github.com/moby/buildkit/client"
	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/session"
	"github.com/moby/buildkit/session/auth/authprovider"
	"github.com/moby/buildkit/util/entitlements"
	"golang.org/x/sync/errgroup"
)

// solve has the engine build a definition and tag the outcome. When the context
// ends, BuildKit ends the steps that run.
func solve(ctx context.Context, e Engine, d *definition, tag, digest string, out *fan) error {
	var l link
	c, err := client.New(ctx, "",
		client.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return l.watched(e.DialHijack(ctx, "/grpc", "h2c", nil))
		}),
		client.WithSessionDialer(func(ctx context.Context, proto string, meta map[string][]string) (net.Conn, error) {
			return l.watched(e.DialHijack(ctx, "/session", proto, meta))
		}))
	if err != nil {
		return fmt.Errorf("connecting to the engine's BuildKit: %w", err)
	}
	defer c.Close()
	if _, err := c.Info(ctx); err != nil && ctx.Err() == nil && isUnreachable(err) {
		if passing(l.cause()) {
			return &BrokenError{Doing: "the build of " + d.path, Cause: l.cause()}
		}
		return &NoBuilderError{Cause: err}
	}

	status := make(chan *client.SolveStatus)
	seen := newTrace(out)
	eye := newWitness()
	var group errgroup.Group
	group.Go(func() error {
		for s := range status {
			seen.add(s)
		}
		return nil
	})
	var fault error // of the frontend, before it lost its types on the way to the engine and back
	_, err = c.Build(ctx, options(d, tag, digest), "", func(ctx context.Context, c gateway.Client) (*gateway.Result, error) {
		var result *gateway.Result
		result, fault = dockerfile(ctx, eye.watch(c), &eye.bases)
		return result, fault
	}, status)
	cut := l.cause() // before our own closing
	_ = group.Wait() // it returns no errors
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	found := outcome{err: err, frontend: fault, eye: eye, seen: seen}.diagnose(d)
	if cut == nil && givenUp(cmp.Or(fault, err), found) && (unread(found) || givenUp(err, found)) {
		cut = err
	}
	if cut != nil && found.Reason != StepExit {
		return &BrokenError{Doing: "the build of " + d.path, Cause: cut}
	}
	return found
}

func options(d *definition, tag, digest string) client.SolveOpt {
	r := d.request
	attrs := map[string]string{
		"filename":            dockerfileName,
		"label:" + CacheLabel: "image", "label:" + DigestLabel: digest,
	}
	for k, v := range r.Args {
		attrs["build-arg:"+k] = v
	}
	for k, v := range r.Labels {
		attrs["label:"+k] = v
	}
	maps.Copy(attrs, pinned(r.Pins))
	if r.Target != "" {
		attrs["target"] = r.Target
	}
	if r.Platform != "" {
		attrs["platform"] = r.Platform
	}
	var entitled []string
	if r.Network != "" {
		attrs["force-network-mode"] = r.Network
	}
	if r.Network == "host" {
		entitled = []string{entitlements.EntitlementNetworkHost.String()}
	}
	if r.Force {
		attrs["no-cache"] = ""
	}
	return client.SolveOpt{
		Exports:       []client.ExportEntry{{Type: "moby", Attrs: map[string]string{"name": tag}}},
		LocalMounts:   d.mounts(),
		FrontendAttrs: attrs,
		// BuildKit keeps the files of earlier builds under this key and takes one for
		// unchanged by size and time alone. So only equal contexts share it.
		SharedKey:           digest,
		AllowedEntitlements: entitled,
		Session:             []session.Attachable{credentials()},
	}
}

// credentials hands the user's registry logins to BuildKit when it asks.
func credentials() session.Attachable {
	file := config.LoadDefaultConfigFile(io.Discard)
	return authprovider.NewDockerAuthProvider(authprovider.DockerAuthProviderConfig{
		AuthConfigProvider: authprovider.LoadAuthConfig(file),
	})
}
