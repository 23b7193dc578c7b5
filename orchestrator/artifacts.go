package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// ArtifactError says that an artifact could not be had which the task requires.
type ArtifactError struct {
	Source string
	Cause  error
}

func (e *ArtifactError) Error() string {
	return fmt.Sprintf("the required artifact %s: %v", e.Source, e.Cause)
}

func (e *ArtifactError) Unwrap() error { return e.Cause }

// kept is a line of artifacts/manifest.json, in Harbor's form.
type kept struct {
	Source      string `json:"source"`
	Destination string `json:"destination"`
	Type        string `json:"type"`   // "file" or "directory"
	Status      string `json:"status"` // "ok", "empty", "failed" or "skipped"
	Service     string `json:"service,omitempty"`
}

// keepArtifacts brings the files that the task wants kept to the trial's artifacts folder. What is missing is recorded, and decides nothing unless the task
// requires it.
func (t *trial) keepArtifacts(ctx context.Context, main bool) error {
	var missing error
	for _, a := range t.step.plan.Artifacts {
		if path.Clean(a.Source) == logArtifacts || main != (cmp.Or(a.Service, stack.Main) == stack.Main) {
			continue // comes with the log folders, or is not due now
		}
		k, err := t.work.keepArtifact(ctx, a)
		t.step.kept = append(t.step.kept, k)
		if err == nil {
			continue
		}
		if slices.Contains(t.plan.Task.Config.Eval.RequiredArtifacts, a.Source) && missing == nil {
			missing = &ArtifactError{Source: a.Source, Cause: err}
			continue
		}
		t.warn("artifact_missing", fmt.Sprintf("artifact %s: %v", a.Source, err))
	}
	return missing
}

// listArtifacts writes what became of the artifacts where Harbor's readers look for it.
func (t *trial) listArtifacts() error {
	if len(t.step.kept) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(t.step.kept, "", "  ")
	if err != nil {
		return fmt.Errorf("list the artifacts: %w", err)
	}
	name := t.step.host("artifacts", "manifest.json")
	t.dir.Protect(name)
	if err := t.dir.Root().WriteFile(name, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("list the artifacts: %w", err)
	}
	return nil
}

// claimed says whether an earlier artifact of the step has a destination, or one below or above it.
func (s *step) claimed(dest string) bool {
	return slices.ContainsFunc(s.kept, func(k kept) bool {
		return k.Status != "failed" && (k.Destination == dest || strings.HasPrefix(k.Destination, dest+"/") || strings.HasPrefix(dest, k.Destination+"/"))
	})
}

func (s *site) keepArtifact(ctx context.Context, a task.Artifact) (kept, error) {
	source := a.Source
	if !path.IsAbs(source) {
		source = path.Join(s.workdir(), source)
	}
	dest := strings.TrimPrefix(path.Clean("/"+cmp.Or(a.Destination, source)), "/")
	k := kept{Source: a.Source, Destination: path.Join("artifacts", dest), Type: "file", Status: "failed", Service: a.Service}
	if s.step.claimed(k.Destination) {
		k.Status = "skipped"
		return k, nil // the first one has it
	}
	rc, err := s.box.Fetch(ctx, cmp.Or(a.Service, stack.Main), source)
	if err != nil {
		return k, err
	}
	defer rc.Close()
	base := path.Base(source)
	opt := archive.UnpackOptions{Limits: logLimits(), Mask: s.maskFile, Keep: s.dir.Streams(), Routes: map[string]string{base: s.step.host("artifacts", dest)}}
	opt.Skip = func(name string) bool { return excluded(strings.TrimPrefix(name, base+"/"), a.Exclude) }
	list, err := archive.Unpack(rc, s.dir.Root(), opt)
	s.counted(list)
	if len(list.Entries) > 0 && list.Entries[0].Kind == archive.KindDir {
		k.Type = "directory"
	}
	if err != nil {
		return k, fmt.Errorf("unpack: %w", err)
	}
	if k.Status = "ok"; list.Files == 0 {
		k.Status = "empty"
	}
	return k, nil
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
