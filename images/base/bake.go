package base

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/jsonmessage"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/images"
)

// searchPath is the PATH that official images set.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// work is a folder of the half-made image that does not get into the finished one.
const work = ".seatrial-base"

// removeLimit is how long cleaning up may take, also after a cancel.
const removeLimit = 30 * time.Second

// SetupError says that the set-up inside the half-made image failed; the log
// that Options names has what it printed.
type SetupError struct {
	Ref      string
	ExitCode int
}

// Error implements error.
func (e *SetupError) Error() string {
	return fmt.Sprintf("making %s: the set-up of its packages ended with exit code %d; see the log above", e.Ref, e.ExitCode)
}

// loaf is an image in the making: a first root, a command that is run once in
// it, and what is written over the outcome.
type loaf struct {
	ref     string // of the finished image
	root    func(*tree) error
	command []string
	finish  func(*tree) error
	changes []string // Dockerfile lines on the finished image's configuration
}

// bake imports the first root, runs the command in it and imports what became
// of it as one layer. Whatever happens, neither the container nor the half-made
// image stays.
func bake(ctx context.Context, e Engine, l loaf, log io.Writer) (err error) {
	half := "seatrial/base-build:" + rand.Text()
	labels := map[string]string{images.CacheLabel: "base-build", "dev.seatrial.base.of": l.ref}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeLimit)
		defer cancel()
		err = errors.Join(err, removeImage(ctx, e, half))
	}()
	if err := importTree(ctx, e, half, append(labelled(labels), "CMD "+quoted(l.command)), l.root); err != nil {
		return err
	}
	created, err := e.ContainerCreate(ctx, &container.Config{
		Image: half, Labels: labels, Cmd: l.command,
	}, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		return fmt.Errorf("making %s: creating a container: %w", l.ref, err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeLimit)
		defer cancel()
		err = errors.Join(err, removeContainer(ctx, e, created.ID))
	}()
	if err := run(ctx, e, created.ID, l.ref, log); err != nil {
		return err
	}
	exported, err := e.ContainerExport(ctx, created.ID)
	if err != nil {
		return fmt.Errorf("making %s: reading its files: %w", l.ref, err)
	}
	defer exported.Close()
	return importTree(ctx, e, l.ref, l.changes, func(t *tree) error {
		if err := l.finish(t); err != nil {
			return err
		}
		return t.flatten(exported)
	})
}

func run(ctx context.Context, e Engine, id, ref string, log io.Writer) error {
	if err := e.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return fmt.Errorf("making %s: starting its set-up: %w", ref, err)
	}
	lines, err := e.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		return fmt.Errorf("making %s: following its set-up: %w", ref, err)
	}
	defer lines.Close()
	if _, err := stdcopy.StdCopy(log, log, lines); err != nil {
		return fmt.Errorf("making %s: following its set-up: %w", ref, err)
	}
	done, failed := e.ContainerWait(ctx, id, container.WaitConditionNotRunning)
	select {
	case err := <-failed:
		return fmt.Errorf("making %s: waiting for its set-up: %w", ref, err)
	case end := <-done:
		if end.StatusCode != 0 {
			return &SetupError{Ref: ref, ExitCode: int(end.StatusCode)}
		}
	}
	return nil
}

// importTree streams a root file system to the engine as an image.
func importTree(ctx context.Context, e importer, ref string, changes []string, write func(*tree) error) error {
	read, pipe := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		t := newTree(pipe, time.Now().Truncate(time.Second))
		err := write(t)
		if err == nil {
			err = t.close()
		}
		pipe.CloseWithError(err)
		wrote <- err
	}()
	answer, err := e.ImageImport(ctx, image.ImportSource{Source: read, SourceName: "-"}, ref, image.ImportOptions{Changes: changes})
	if err == nil {
		err = jsonmessage.DisplayJSONMessagesStream(answer, io.Discard, 0, false, nil)
		err = errors.Join(err, answer.Close())
	}
	read.CloseWithError(io.ErrClosedPipe) // the writer ends even if the engine did not read to the end
	if fault := <-wrote; fault != nil && !errors.Is(fault, io.ErrClosedPipe) {
		return fault
	}
	if err != nil {
		return fmt.Errorf("importing %s: %w", ref, err)
	}
	return nil
}

func labelled(labels map[string]string) []string {
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		lines = append(lines, "LABEL "+k+"="+strconv.Quote(labels[k]))
	}
	return lines
}
