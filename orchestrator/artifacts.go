package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// keepArtifacts brings the files that the task wants kept to the trial's artifacts folder. What is missing decides nothing, and is recorded.
func (t *trial) keepArtifacts(ctx context.Context, main bool) {
	for _, a := range t.step.plan.Artifacts {
		if path.Clean(a.Source) == "/logs/artifacts" || main != (cmp.Or(a.Service, stack.Main) == stack.Main) {
			continue // comes with the log folders, or is not due now
		}
		if err := t.work.keepArtifact(ctx, a); err != nil {
			t.warn("artifact_missing", fmt.Sprintf("artifact %s: %v", a.Source, err))
		}
	}
}

func (s *site) keepArtifact(ctx context.Context, a task.Artifact) error {
	source := a.Source
	if !path.IsAbs(source) {
		source = path.Join(s.workdir(), source)
	}
	rc, err := s.box.Fetch(ctx, cmp.Or(a.Service, stack.Main), source)
	if err != nil {
		return err
	}
	defer rc.Close()
	dest := strings.TrimPrefix(path.Clean("/"+cmp.Or(a.Destination, source)), "/")
	base := path.Base(source)
	opt := archive.UnpackOptions{Limits: logLimits(), Mask: s.maskFile, Keep: s.dir.Streams(), Routes: map[string]string{base: s.step.host("artifacts", dest)}}
	opt.Skip = func(name string) bool { return excluded(strings.TrimPrefix(name, base+"/"), a.Exclude) }
	list, err := archive.Unpack(rc, s.dir.Root(), opt)
	s.counted(list)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return nil
}

// excluded follows tar's --exclude: a pattern matches a whole path, any of its elements, or one of the folders above it.
func excluded(name string, patterns []string) bool {
	for _, p := range patterns {
		p = strings.TrimSuffix(strings.ReplaceAll(p, "/**", ""), "/")
		for part := name; part != "." && part != "/" && part != ""; part = path.Dir(part) {
			for _, candidate := range []string{part, path.Base(part)} {
				if ok, err := path.Match(p, candidate); err == nil && ok {
					return true
				}
			}
			if tail, ok := strings.CutPrefix(p, "*/"); ok && path.Base(part) == tail {
				return true
			}
		}
	}
	return false
}
