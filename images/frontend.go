package images

import (
	"context"
	"fmt"
	"maps"

	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	gateway "github.com/moby/buildkit/frontend/gateway/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// dockerfile is the Dockerfile frontend: it turns the Dockerfile into BuildKit's
// own instructions in this process, whatever version the engine is of. It is
// BuildKit's builder.Build without what is of no use here: a `# syntax=` line or
// a BUILDKIT_SYNTAX argument brings no other frontend in, so none is pulled, and
// there are no attestations. (And without its cache of base images, which is
// written to by several goroutines at once.)
func dockerfile(ctx context.Context, c gateway.Client, b *bases) (*gateway.Result, error) {
	ui, err := dockerui.NewClient(c)
	if err != nil {
		return nil, fmt.Errorf("setting up the build: %w", err)
	}
	src, err := ui.ReadEntrypoint(ctx, "Dockerfile")
	if err != nil {
		return nil, fmt.Errorf("sending the Dockerfile: %w", err)
	}
	built, err := ui.Build(ctx, func(ctx context.Context, platform *ocispec.Platform, _ int) (*dockerui.BuildResult, error) {
		opt := dockerfile2llb.ConvertOpt{Config: ui.Config, Client: ui, SourceMap: src.SourceMap, MetaResolver: c, TargetPlatform: platform}
		opt.BuildArgs = maps.Clone(opt.BuildArgs) // it is written to
		out, err := dockerfile2llb.Dockerfile2LLB(ctx, src.Data, opt)
		if err != nil {
			return nil, err //nolint:wrapcheck // the error's own words are what people look for
		}
		if out.Image.Config.Labels == nil {
			out.Image.Config.Labels = map[string]string{}
		}
		out.Image.Config.Labels[BasesLabel] = b.label()
		def, err := out.State.Marshal(ctx)
		if err != nil {
			return nil, fmt.Errorf("writing the build's instructions: %w", err)
		}
		solved, err := c.Solve(ctx, gateway.SolveRequest{Definition: def.ToPB()})
		if err != nil {
			return nil, err //nolint:wrapcheck // the engine's own
		}
		ref, err := solved.SingleRef()
		if err != nil {
			return nil, fmt.Errorf("reading the engine's answer: %w", err)
		}
		return &dockerui.BuildResult{Reference: ref, Image: out.Image, BaseImage: out.BaseImage, Epoch: out.Epoch}, nil
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // see above
	}
	result, err := built.Finalize()
	if err != nil {
		return nil, fmt.Errorf("finishing the build: %w", err)
	}
	return result, nil
}
