package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/errgroup"
)

// downloads is how many packages are fetched at the same time.
const downloads = 6

// maxIndex bounds an unpacked package index, in bytes. That of Debian's main is
// about 60 MB.
const maxIndex = 1 << 30

// archive is one suite on one mirror.
type archive struct {
	shop     *shop
	mirror   string
	arch     string // in Debian's words
	unsigned bool   // whether a release without a known signature will do
}

// load reads a suite's release file and adds its packages to the index.
func (a *archive) load(ctx context.Context, x *Index, mirror, suite string) (*Release, error) {
	url := join(mirror, "dists/"+suite+"/InRelease")
	file, err := a.shop.text(ctx, url, maxRelease)
	if err != nil {
		return nil, err
	}
	text, verified, reason := signedText(file)
	if !verified && !a.unsigned {
		return nil, &SignatureError{URL: url, Reason: reason}
	}
	release, err := ParseRelease(text)
	if err != nil {
		return nil, err
	}
	if release.Codename != suite { // else a signature over something older or else would do
		return nil, &FormatError{File: url, Reason: fmt.Sprintf("it is of %q", release.Codename)}
	}
	release.Verified = verified
	for _, suffix := range []string{".gz", ".xz", ""} { // the first is read fastest
		name := "main/binary-" + a.arch + "/Packages" + suffix
		sums, ok := release.Files[name]
		if !ok {
			continue
		}
		path, err := a.shop.file(ctx, join(mirror, "dists/"+suite+"/"+name), sums)
		if err != nil {
			return nil, err
		}
		return release, a.index(x, mirror, path, suffix)
	}
	return nil, &FormatError{File: url, Reason: "it lists no packages for " + a.arch}
}

func (a *archive) index(x *Index, mirror, path, suffix string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the package index: %w", err)
	}
	defer f.Close()
	plain, err := unpack(f, suffix)
	if err != nil {
		return err
	}
	return x.Read(io.LimitReader(plain, maxIndex), mirror)
}

// suite loads a suite with its updates; those may be missing on the mirror.
func (a *archive) suite(ctx context.Context, suite string, updates bool) (*Index, *Release, error) {
	x := NewIndex()
	release, err := a.load(ctx, x, a.mirror, suite)
	if err != nil || !updates {
		return x, release, err
	}
	more := map[string]string{suite + "-updates": a.mirror}
	if security := securityOf(a.mirror); security != "" {
		more[suite+"-security"] = security
	}
	for name, mirror := range more {
		var missing *FetchError
		if _, err := a.load(ctx, x, mirror, name); err != nil && !errors.As(err, &missing) {
			return nil, nil, err
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	return x, release, nil
}

// fetch gets the packages' files and returns their paths by package name.
func (a *archive) fetch(ctx context.Context, packages []*Package) (map[string]string, error) {
	paths := make([]string, len(packages))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(downloads)
	for i, p := range packages {
		group.Go(func() (err error) {
			paths[i], err = a.shop.file(ctx, join(p.Archive, p.Filename), Checksums{SHA256: p.SHA256, Size: p.Size})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // it is of this package
	}
	byName := map[string]string{}
	for i, p := range packages {
		byName[p.Name] = paths[i]
	}
	return byName, nil
}
