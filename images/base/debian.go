package base

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// secondStage is run inside the half-made image.
//
//go:embed second-stage.sh
var secondStage string

// installFirst are the packages whose scripts the others need, in this order.
func installFirst() []string {
	return []string{"base-passwd", "base-files", "dpkg", "libc6", "perl-base", "mawk", "debconf"}
}

func makeDebian(ctx context.Context, e Engine, r recipe, a *archive, log io.Writer) (Result, error) {
	x, release, err := a.suite(ctx, r.suite, true)
	if err != nil {
		return Result{}, err
	}
	// usr-is-merged: without it, bookworm's first alternative would be a tool
	// that moves the files of a running system.
	wanted := append(x.Base(), "usr-is-merged")
	all, err := Resolve(x, wanted...)
	if err != nil {
		return Result{}, err
	}
	fmt.Fprintf(log, "fetching %d packages of %s %s\n", len(all), r.suite, release.Version)
	files, err := a.fetch(ctx, all)
	if err != nil {
		return Result{}, err
	}
	early, err := Resolve(x, append(essential(all), "usr-is-merged")...)
	if err != nil {
		return Result{}, err
	}
	result := Result{How: Made, Suite: r.suite, Released: release.Date, Packages: len(all), Verified: release.Verified}
	first := slices.DeleteFunc(installFirst(), func(name string) bool { return files[name] == "" })
	d := debianRoot{recipe: r, all: all, early: early, files: files, mirror: insideMirror(a.mirror)}
	return result, bake(ctx, e, loaf{
		ref:     r.name,
		root:    d.first,
		command: append([]string{"/bin/sh", "/" + work + "/second-stage.sh"}, first...),
		finish:  d.finish,
		changes: append(labelled(result.labels()), "ENV PATH="+searchPath, `CMD ["bash"]`),
	}, log)
}

func essential(all []*Package) []string {
	var names []string
	for _, p := range all {
		if p.Essential {
			names = append(names, p.Name)
		}
	}
	return append(names, "mawk", "debconf")
}

// debianRoot writes the two states of a Debian root: before and after dpkg.
type debianRoot struct {
	recipe recipe
	all    []*Package        // what gets in
	early  []*Package        // what dpkg needs to run, unpacked by us
	files  map[string]string // package files by package name
	mirror string            // as the image's apt is told
}

func (d debianRoot) first(t *tree) error {
	t.merged, t.slim = true, d.recipe.slim
	err := errors.Join(t.dir("usr", 0o755), t.dir("usr/bin", 0o755), t.dir("usr/sbin", 0o755), t.dir("usr/lib", 0o755),
		t.link("bin", "usr/bin"), t.link("sbin", "usr/sbin"), t.link("lib", "usr/lib"))
	if d.wide() {
		err = errors.Join(err, t.dir("usr/lib64", 0o755), t.link("lib64", "usr/lib64"))
	}
	if err := errors.Join(err, d.settings(t), t.dir(work, 0o700), t.file(work+"/second-stage.sh", 0o700, secondStage)); err != nil {
		return err
	}
	for _, p := range d.all {
		if err := t.copy(work+"/debs/"+p.Name+".deb", 0o600, d.files[p.Name]); err != nil {
			return err
		}
	}
	for _, p := range d.early {
		if err := t.unpack(d.files[p.Name]); err != nil {
			return fmt.Errorf("unpacking %s: %w", p.Name, err)
		}
	}
	return nil
}

// wide tells whether the C library wants /lib64, as on the 64-bit machines other
// than arm64, where the loader is in /lib (their ABIs).
func (d debianRoot) wide() bool {
	return slices.ContainsFunc(d.all, func(p *Package) bool { return p.Name == "libc6" && p.Filename != "" && archOf(p) == "amd64" })
}

func (d debianRoot) finish(t *tree) error {
	t.when = time.Now().Truncate(time.Second)
	return errors.Join(d.settings(t), t.file("etc/apt/sources.list.d/debian.sources", 0o644, aptSources(d.recipe.suite, d.mirror)))
}
