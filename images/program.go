package images

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/jsonmessage"

	"github.com/seatrial/seatrial/internal/lock"
)

// Importer is what making an image of one program asks of an engine; *client.Client of github.com/docker/docker has it.
type Importer interface {
	Engine
	ImageImport(ctx context.Context, source image.ImportSource, ref string, options image.ImportOptions) (io.ReadCloser, error)
}

// Program says what an image of one static program holds. The image needs no registry and no base image.
type Program struct {
	File    string   // the executable on the host
	Digest  string   // of its content; empty = it is read for that
	Path    string   // where it is in the image, absolute
	Name    string   // a hint for the tag
	Folders []string // empty folders, absolute, open to everybody
	Command []string // the entrypoint
	Env     []string // NAME=value
}

// FromProgram makes an image of a program present, keyed by the program's content: it is imported once per engine.
func FromProgram(ctx context.Context, e Importer, p Program) (Image, error) {
	start := time.Now()
	digest, err := p.digest()
	if err != nil {
		return Image{}, err
	}
	img, err := use(ctx, digest, func() (Image, error) { return p.present(ctx, e, digest) })
	if img.Built {
		img.Seconds = time.Since(start).Seconds()
	}
	return img, err
}

// present finds or makes the image.
func (p Program) present(ctx context.Context, e Importer, digest string) (Image, error) {
	ref := Tag(p.Name, digest)
	if r, err := e.ImageInspect(ctx, ref); err == nil {
		return imageOf(ref, r), nil
	} else if !errdefs.IsNotFound(err) {
		return Image{}, fmt.Errorf("look for image %s: %w", ref, err)
	}
	release, err := lock.Hold(ctx, nil, "program", ref)
	if err != nil {
		return Image{}, fmt.Errorf("wait for another process that makes image %s: %w", ref, err)
	}
	defer release()
	if r, err := e.ImageInspect(ctx, ref); err == nil {
		return imageOf(ref, r), nil
	}
	if err := p.load(ctx, e, ref, digest); err != nil {
		return Image{}, fmt.Errorf("make image %s: %w", ref, err)
	}
	r, err := e.ImageInspect(ctx, ref)
	if err != nil {
		return Image{}, fmt.Errorf("look for image %s: %w", ref, err)
	}
	img := imageOf(ref, r)
	img.Built = true
	return img, nil
}

// digest names the image by all that goes into it.
func (p Program) digest() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "seatrial program 1\x00%q\x00", []any{p.Path, p.Folders, p.Command, p.Env, p.Digest})
	if p.Digest != "" {
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	f, err := os.Open(p.File)
	if err != nil {
		return "", fmt.Errorf("the program for an image: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("the program for an image: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (p Program) load(ctx context.Context, e Importer, ref, digest string) error {
	changes := []string{"ENTRYPOINT [" + quoted(p.Command) + "]", fmt.Sprintf("LABEL %s=image", CacheLabel), fmt.Sprintf("LABEL %s=%s", DigestLabel, digest)}
	for _, env := range p.Env {
		changes = append(changes, "ENV "+env)
	}
	pr, pw := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := p.pack(pw)
		pw.CloseWithError(err)
		packed <- err
	}()
	answer, err := e.ImageImport(ctx, image.ImportSource{Source: pr, SourceName: "-"}, ref, image.ImportOptions{Changes: changes})
	if err == nil {
		err = errors.Join(jsonmessage.DisplayJSONMessagesStream(answer, io.Discard, 0, false, nil), answer.Close())
	}
	_ = pr.CloseWithError(io.ErrClosedPipe) // the packer ends even if the engine did not read to the end
	if perr := <-packed; perr != nil && !errors.Is(perr, io.ErrClosedPipe) {
		return perr
	}
	return err
}

func quoted(args []string) string {
	var q []string
	for _, a := range args {
		q = append(q, fmt.Sprintf("%q", a))
	}
	return strings.Join(q, ", ")
}

// pack writes the image's file system.
func (p Program) pack(w io.Writer) error {
	f, err := os.Open(p.File)
	if err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	out := tar.NewWriter(w)
	for _, dir := range append([]string{"/tmp"}, p.Folders...) {
		if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir[1:] + "/", Mode: 0o1777}); err != nil {
			return fmt.Errorf("the image's folders: %w", err)
		}
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: p.Path[1:], Mode: 0o755, Size: st.Size()}); err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	if _, err := io.Copy(out, f); err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	return nil
}
