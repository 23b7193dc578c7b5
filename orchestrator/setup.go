package orchestrator

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// imageFacts is what a trial needs to know of an image.
type imageFacts struct {
	id, user, workdir string
	ref               string // by which the engine finds it
	path              string // the image's PATH
	home              bool   // the image sets HOME
	volumes           []string
	sidecar.Image
}

// build makes the images of all services present, those of separate verifiers as well: an agent must not do its work in vain.
func (t *trial) build(ctx context.Context) error {
	log := t.dir.Lazy("build.log", t.mask)
	defer log.Close()
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	image := func(s *site, key, name string, src Source) {
		g.Go(func() error {
			img, err := t.Engine.Image(gctx, src, &syncWriter{mu: &mu, w: log}, func(e images.Event) {
				t.tell(Event{Kind: OnBuildStep, Phase: PhaseBuild, Text: string(e.Kind) + " " + e.Step})
			})
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			t.done = append(t.done, img.Done)
			s.images[name] = factsOf(img)
			t.rec.Images[key], t.locked[key] = img.ID, lockedImage(src, img)
			t.rec.imageRefs[refOf(src, img)] = img.ID
			return nil
		})
	}
	for name, src := range t.plan.Images {
		image(t.work, name, name, src)
	}
	for _, a := range t.aparts {
		if a != nil {
			for name, src := range a.plan.Images {
				image(&a.site, a.key(name), name, src)
			}
		}
	}
	return g.Wait() //nolint:wrapcheck // typed
}

func refOf(src Source, img images.Image) string {
	if src.Build == nil {
		return src.Ref
	}
	return img.Ref
}

func factsOf(img images.Image) imageFacts {
	f := imageFacts{volumes: img.Config.Volumes, id: img.ID, ref: img.Ref, user: img.Config.User, workdir: img.Config.WorkingDir,
		Image: sidecar.Image{Ref: img.ID, Entrypoint: img.Config.Entrypoint, Cmd: img.Config.Cmd}}
	for _, e := range img.Config.Env {
		if p, ok := strings.CutPrefix(e, "PATH="); ok {
			f.path = p
		}
	}
	f.home = slices.ContainsFunc(img.Config.Env, func(e string) bool { return strings.HasPrefix(e, "HOME=") })
	if h := img.Config.Healthcheck; h != nil {
		f.Healthcheck = len(h.Test) > 0 && h.Test[0] != "NONE"
	}
	return f
}

// start brings the stack up and sees that the environment is healthy.
func (t *trial) start(ctx context.Context) error {
	if err := t.work.up(ctx, func(service string) string { return service }); err != nil {
		return err
	}
	if err := t.work.awaitEntrypoint(ctx); err != nil {
		return err
	}
	if t.plan.UploadEnvironment {
		dir := filepath.Join(t.plan.Task.Dir, "environment")
		if err := t.work.intoWorkdir(ctx, dir); err != nil {
			return err
		}
	}
	if err := t.fakesReady(ctx); err != nil {
		return err
	}
	if t.plan.Task.Config.Environment.Healthcheck != nil {
		if err := t.work.gateReady(ctx); err != nil {
			return err
		}
	}
	return t.work.healthcheck(ctx, t.plan.Task.Config.Environment.Healthcheck, t.plan.Steps[0].AgentUser)
}

// up starts the site's stack. key names a service of it in the record.
func (s *site) up(ctx context.Context, key func(service string) string) error {
	imgs := map[string]sidecar.Image{}
	for name, f := range s.images {
		imgs[name] = f.Image
	}
	s.begun = append(s.begun, s.name)
	box, err := s.Engine.Up(ctx, s.spec, imgs, sidecar.Scope{Run: s.Folder.RunID, Trial: s.name, Owner: s.Owner, Keep: s.Keep})
	s.box = box
	if err != nil {
		return err
	}
	for i := range s.spec.Services {
		name := s.spec.Services[i].Name
		s.rec.Containers[key(name)] = box.ID(name)
	}
	return nil
}

// entrypointLimit is how long an image's entrypoint may take before it runs what it was given. One that never does is used as it is.
const entrypointLimit = 10 * time.Second

// awaitEntrypoint waits until an entrypoint of the image or the compose file has done its work, so that one that fails is a fault of the start, and the
// agent does not race with its preparations.
func (s *site) awaitEntrypoint(ctx context.Context) error {
	main := sidecar.Find(s.spec, stack.Main)
	entry := s.images[stack.Main].Entrypoint
	if main.HasEntrypoint {
		entry = main.Entrypoint
	}
	if len(entry) == 0 || main.HasCommand {
		return nil
	}
	res, err := s.box.Run(ctx, sidecar.Command{Service: stack.Main, Spec: shim.Spec{AwaitHoldMS: entrypointLimit.Milliseconds()}})
	if err != nil {
		return err
	}
	for _, w := range res.Warnings {
		s.warn("entrypoint_"+w.Code, w.Detail)
	}
	return nil
}

// workdir is where commands run in the agent's container.
func (s *site) workdir() string {
	if s.folder != "" {
		return s.folder
	}
	if w := s.images[stack.Main].workdir; w != "" {
		return w
	}
	return "/"
}

// inWorkdir is a path in the site's main container, which may be relative to the working directory.
func (s *site) inWorkdir(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(s.workdir(), name)
}

// intoWorkdir copies a folder's content into the working directory of the site's main container.
func (s *site) intoWorkdir(ctx context.Context, dir string) error {
	return s.stream(ctx, "/", func(w io.Writer) error {
		return archive.Pack(w, dir, archive.PackOptions{Prefix: strings.TrimPrefix(s.workdir(), "/")})
	})
}

// put copies what pack writes below a prefix into the tool's own folder of the agent's container, and returns where it is there. In a container whose
// root is read-only that folder is a volume.
func (s *site) put(ctx context.Context, name string, pack func(w io.Writer, prefix string) error) (string, error) {
	dir, prefix := "/", path.Join(ownDir[1:], name)
	if sidecar.Find(s.spec, stack.Main).ReadOnly {
		dir, prefix = ownDir, name
	}
	return path.Join(ownDir, name), s.stream(ctx, dir, func(w io.Writer) error { return pack(w, prefix) })
}

// ownDir is where the tool puts files for the agent and, once the agent has ended, the tests.
const ownDir = sidecar.OwnDir

// stream sends an archive into a folder of the agent's container while it is packed.
func (s *site) stream(ctx context.Context, dir string, pack func(io.Writer) error) error {
	err := sidecar.Again(ctx, s.again, func() error {
		return archive.Pipe(pack, func(r io.Reader) error { return s.box.Put(ctx, stack.Main, dir, r) })
	})
	if err != nil {
		return fmt.Errorf("copy files into the agent's container: %w", err)
	}
	return nil
}

// again counts a transfer that was made once more.
func (t *trial) again() { t.rec.moved++ }

// syncWriter lets several builds share one log.
type syncWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (s *syncWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p) //nolint:wrapcheck // a writer hands errors on
}
