// Package base makes the few base images that tasks and tests need most where
// no registry can be reached: out of a distribution's own packages, by Go code
// and one short-lived container, with no tool of the host.
package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/internal/lock"
)

// pullAnswer is how long a registry has to answer before the image is made.
const pullAnswer = 10 * time.Second

// Options say how a base image is had.
type Options struct {
	Mirror        string    // root URL of a Debian mirror; empty: the host's own, else deb.debian.org
	Log           io.Writer // what is being done, for people; nil for none
	Force         bool      // make it even if it is there or could be pulled
	As            string    // name to give to the image that is made, with Force; empty: the usual one
	AllowUnsigned bool      // go on where no key of Debian's signed the release file
}

// How an image came to be there.
const (
	Present = "present"
	Pulled  = "pulled"
	Made    = "made"
)

// Result tells what was done.
type Result struct {
	Ref      string
	ID       string  // image id on the engine
	How      string  // Present, Pulled or Made
	Suite    string  // of the distribution, for Made
	Released string  // the release file's date, for Made
	Packages int     // how many were put in, for Made
	Seconds  float64 // that it took
	Verified bool    // whether Debian's signature over what it was made of was checked; for Made
}

// UnknownBaseError says that an image is none of those that can be made.
type UnknownBaseError struct{ Ref string }

// Error implements error.
func (e *UnknownBaseError) Error() string {
	return fmt.Sprintf("%s cannot be made here; only %s can", e.Ref, strings.Join(images.MakeableNames(), ", "))
}

// Make sees to it that the engine has a base image: it takes the one that is
// there, else pulls it if a registry answers within ten seconds, else makes it
// from packages. Of several processes one makes it and the others find it
// there. Errors: *UnknownBaseError, *FetchError, *SignatureError, *FormatError,
// *MissingPackageError, *SetupError, and the engine's.
func Make(ctx context.Context, e Engine, ref string, o Options) (Result, error) {
	start := time.Now()
	r, ok := recipeFor(ref)
	if !ok {
		return Result{}, &UnknownBaseError{Ref: ref}
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Force && o.As != "" {
		r.name = o.As
	}
	result, err := have(ctx, e, r, o)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("making %s: %w (%w)", r.name, cause, err) // with what could not be removed
	}
	if err != nil {
		return Result{}, err
	}
	found, err := e.ImageInspect(ctx, r.name)
	if err != nil {
		return Result{}, fmt.Errorf("looking at %s: %w", r.name, err)
	}
	result.Ref, result.ID, result.Seconds = r.name, found.ID, time.Since(start).Seconds()
	return result, nil
}

func have(ctx context.Context, e Engine, r recipe, o Options) (Result, error) {
	old, err := present(ctx, e, r.name)
	if err != nil || old != "" && !o.Force {
		return Result{How: Present}, err
	}
	info, err := e.Info(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("asking the engine for its architecture: %w", err)
	}
	waiting := func() { fmt.Fprintf(o.Log, "another process is making %s, waiting\n", r.name) }
	release, err := lock.Hold(ctx, waiting, "base", info.ID, r.name)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if !o.Force {
		if id, err := present(ctx, e, r.name); err != nil || id != "" {
			return Result{How: Present}, err
		}
		if pull(ctx, e, r.name, o.Log) {
			return Result{How: Pulled}, nil
		}
	}
	p := platforms.Normalize(platforms.Platform{OS: "linux", Architecture: info.Architecture})
	result, err := fromPackages(ctx, e, r, p, o)
	if err != nil || old == "" {
		return result, err
	}
	return result, removeOld(ctx, e, old)
}

func fromPackages(ctx context.Context, e Engine, r recipe, p platforms.Platform, o Options) (Result, error) {
	dir, err := lock.CacheDir("packages")
	if err != nil {
		return Result{}, err
	}
	a := &archive{shop: &shop{http: http.DefaultClient, dir: dir}, arch: debianArch(p), mirror: o.Mirror, unsigned: o.AllowUnsigned}
	if a.mirror == "" {
		a.mirror = HostMirror(os.DirFS("/"))
	}
	if a.mirror == "" {
		a.mirror = defaultMirror
	}
	a.shop.prune()
	a.mirror = strings.TrimRight(a.mirror, "/")
	fmt.Fprintf(o.Log, "making %s from the packages of %s\n", r.name, a.mirror)
	if r.busybox {
		return makeBusybox(ctx, e, r, a, o.Log)
	}
	return makeDebian(ctx, e, r, a, o.Log)
}

// present returns the id of an image, empty where the engine does not have it.
func present(ctx context.Context, e images.Engine, name string) (string, error) {
	found, err := e.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", name, err)
	}
	return found.ID, nil
}

// pull tries to get an image from its registry and says whether it did. A
// download that has begun may take as long as the context allows.
func pull(ctx context.Context, e images.Engine, name string, log io.Writer) bool {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(pullAnswer, func() { cancel(errors.New("no registry answered within 10 s")) })
	defer limit.Stop()
	began := writerFunc(func(p []byte) (int, error) {
		limit.Stop()
		return log.Write(p)
	})
	_, err := images.New(e).Take(ctx, images.Wanted{Ref: name, Policy: images.PullMissing, Log: began, Once: true})
	var fault *images.PullError
	if errors.As(err, &fault) {
		err = fault.Cause // without its advice to do what is being done
	}
	if err != nil {
		fmt.Fprintf(log, "%s cannot be pulled: %v\n", name, err)
	}
	return err == nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// debianArch is Debian's word for a processor.
func debianArch(p platforms.Platform) string {
	switch p.Architecture {
	case "386":
		return "i386"
	case "arm":
		return "armhf"
	case "ppc64le":
		return "ppc64el"
	}
	return p.Architecture
}
