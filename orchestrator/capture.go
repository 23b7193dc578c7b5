package orchestrator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// captureLimit bounds the keeping, and the putting back, of an end state.
const captureLimit = 30 * time.Minute

// wantsCapture says whether the end state of the agent's container is kept.
func (t *trial) wantsCapture() bool { return t.Capture && !t.Synthetic }

// capture keeps what the agent has made of its container: the files of the container and of its volumes. That it cannot be kept decides nothing.
func (t *trial) capture(ctx context.Context) error {
	began := time.Now()
	name := t.step.host(endStateName)
	c, err := t.captured(ctx, name)
	if ctx.Err() != nil {
		_ = t.dir.Root().Remove(name)
		return context.Cause(ctx)
	}
	if err != nil {
		_ = t.dir.Root().Remove(name)
		t.warn("capture_failed", "the end state of the agent's container is not kept: "+err.Error())
		return nil
	}
	c.Step, c.Path = t.stepName(), name
	t.captures = append(t.captures, c)
	t.dir.Protect(name)
	t.log.Info("end state", "files", c.Files, "bytes", c.Bytes, "removed", c.Removed, "seconds", time.Since(began).Seconds())
	return nil
}

func (t *trial) captured(ctx context.Context, name string) (lockfile.Capture, error) {
	main := sidecar.Find(t.work.spec, stack.Main)
	if main.ReadOnly {
		return lockfile.Capture{}, fmt.Errorf("its root is read-only, so that it could not be put back")
	}
	if err := t.flush(ctx); err != nil {
		return lockfile.Capture{}, err
	}
	changes, err := t.work.box.Changes(ctx, stack.Main)
	if err != nil {
		return lockfile.Capture{}, err
	}
	list, removed := t.listed(main, changes)
	at, err := t.work.put(ctx, staging("changes"), func(w io.Writer, prefix string) error {
		return archive.Write(w, archive.Item{Name: prefix, Data: list, Mode: 0o600})
	})
	if err != nil {
		return lockfile.Capture{}, err
	}
	f, err := t.dir.Root().OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return lockfile.Capture{}, fmt.Errorf("write it: %w", err)
	}
	defer f.Close()
	w, err := newEndStateWriter(f, removed, t.mask)
	if err != nil {
		return lockfile.Capture{}, err
	}
	if err := t.packed(ctx, at, w); err != nil {
		w.abandon()
		return lockfile.Capture{}, err
	}
	c, err := w.close()
	if err != nil {
		return c, fmt.Errorf("write it: %w", err)
	}
	return c, nil
}

// listed is the list of what the helper is to pack, and what was removed. What the tool itself puts into the container is neither, and what is mounted there is packed whole.
func (t *trial) listed(main *stack.Service, changes []sidecar.Change) (list []byte, removed []string) {
	var b bytes.Buffer
	var mounted []string
	for _, m := range main.Mounts {
		if m.Type == stack.MountVolume || m.Type == stack.MountTmpfs {
			mounted = append(mounted, path.Clean(m.Target))
		}
	}
	for _, v := range t.work.images[stack.Main].volumes {
		mounted = append(mounted, path.Clean(v))
	}
	slices.Sort(mounted)
	mounted = slices.Compact(mounted)
	for _, c := range changes {
		switch {
		case !path.IsAbs(c.Path) || ours(c.Path) || slices.ContainsFunc(mounted, func(m string) bool { return within(m, c.Path) }):
		case c.Removed:
			removed = append(removed, c.Path)
		default:
			b.WriteString(string(rune(shim.ListPath)) + c.Path + "\x00")
		}
	}
	for _, m := range mounted {
		if !ours(m) {
			b.WriteString(string(rune(shim.ListTree)) + m + "\x00")
		}
	}
	return b.Bytes(), removed
}

// ours says whether a path is the tool's or the engine's own, and no work of the agent's.
func ours(name string) bool {
	return slices.ContainsFunc([]string{ownDir, shim.Dir, sidecar.ToolsDir, "/proc", "/sys", "/dev"}, func(dir string) bool { return within(dir, name) }) ||
		slices.Contains([]string{"/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/.dockerenv", "/run/.containerenv"}, name)
}

func within(dir, name string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// packed has the helper pack what a list names, and takes that over.
func (t *trial) packed(ctx context.Context, list string, into *endStateWriter) error {
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := into.add(shim.Unpacked(r))
		_ = r.CloseWithError(err) // the helper's output goes nowhere then
		done <- err
	}()
	said := &tail{max: 4 << 10}
	res, err := t.work.box.Run(ctx, sidecar.Command{Service: stack.Main, Stdout: w, Stderr: said, Spec: shim.Spec{
		Argv: []string{shim.Path, "pack", list}, LimitMS: captureLimit.Milliseconds(), GraceMS: 500}})
	_ = w.Close()
	failed := <-done
	switch {
	case err != nil:
		return err
	case res.Start != nil:
		return fmt.Errorf("the helper could not pack it: %s", res.Start.Detail)
	case res.Limit != "":
		return fmt.Errorf("it took longer than %s", captureLimit)
	case res.Exit != 0:
		return fmt.Errorf("the helper could not pack it: %s", strings.TrimSpace(string(said.Bytes())))
	case failed != nil:
		return fmt.Errorf("what the helper packed cannot be read: %w", failed)
	}
	return nil
}
