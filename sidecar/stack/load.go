package stack

import (
	"context"
	"fmt"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"
)

// placeholder stands for the task's own image, because the loader wants every service to have one.
const placeholder = "seatrial.invalid/task-image"

// load gives the tree its types. Variables, paths, env files and the checks of references are not left to the loader:
// it knows no positions, and it would read files and resolve links on its own.
func load(ctx context.Context, in *Input, tree map[string]any) (project *types.Project, err error) {
	defer func() {
		// The loader asserts types that a hostile file can break.
		if p := recover(); p != nil {
			err = fmt.Errorf("the compose loader gave up: %v", p)
		}
	}()
	details := types.ConfigDetails{
		WorkingDir:  in.Dir,
		ConfigFiles: []types.ConfigFile{{Filename: in.File, Config: tree}},
		Environment: types.Mapping{},
	}
	project, err = loader.LoadWithContext(ctx, details, func(o *loader.Options) {
		o.SetProjectName("trial", true)
		o.SkipInclude, o.SkipExtends = true, true
		o.SkipNormalization, o.SkipConsistencyCheck = true, true
		o.SkipResolveEnvironment, o.SkipResolveLabels = true, true
		o.ResolvePaths = false
		// Interpolation stays on, for it also makes numbers and truth values of texts.
		o.Interpolate.Substitute = func(s string, _ template.Mapping) (string, error) { return s, nil }
	})
	if err != nil {
		return nil, fmt.Errorf("loading: %w", err)
	}
	return project, nil
}
