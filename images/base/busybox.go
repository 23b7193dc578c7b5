package base

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

func makeBusybox(ctx context.Context, e Engine, r recipe, a *archive, log io.Writer) (Result, error) {
	x, release, err := a.suite(ctx, r.suite, false)
	if err != nil {
		return Result{}, err
	}
	p := x.Find("busybox-static")
	if p == nil {
		return Result{}, &MissingPackageError{Wanted: "busybox-static"}
	}
	files, err := a.fetch(ctx, []*Package{p})
	if err != nil {
		return Result{}, err
	}
	result := Result{How: Made, Suite: r.suite, Released: release.Date, Packages: 1, Verified: release.Verified}
	return result, bake(ctx, e, loaf{
		ref:     r.name,
		root:    func(t *tree) error { return busyboxRoot(t, files[p.Name]) },
		command: []string{"/bin/busybox", "--install", "-s", "/bin"},
		finish:  func(*tree) error { return nil },
		changes: append(labelled(result.labels()), "ENV PATH="+searchPath, `CMD ["sh"]`),
	}, log)
}

func (r Result) labels() map[string]string {
	return map[string]string{
		"dev.seatrial.cache":         "base",
		"dev.seatrial.base.suite":    r.Suite,
		"dev.seatrial.base.released": r.Released,
		"dev.seatrial.base.packages": strconv.Itoa(r.Packages),
		"dev.seatrial.base.verified": strconv.FormatBool(r.Verified),
	}
}

const (
	busyboxUsers = `root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
`
	busyboxGroups = `root:x:0:
daemon:x:1:
bin:x:2:
tty:x:5:
www-data:x:33:
users:x:100:
nobody:x:65534:
`
)

func busyboxRoot(t *tree, deb string) error {
	err := errors.Join(
		t.dir("bin", 0o755), t.dir("dev", 0o755), t.dir("etc", 0o755), t.dir("home", 0o755), t.dir("root", 0o700),
		t.dir("tmp", 0o1777), t.dir("usr", 0o755), t.dir("usr/bin", 0o755), t.dir("usr/sbin", 0o755),
		t.dir("var", 0o755), t.dir("var/log", 0o755), t.dir("var/tmp", 0o1777), t.dir("var/www", 0o755),
		t.link("usr/bin/env", "/bin/env"),
		t.file("etc/passwd", 0o644, busyboxUsers), t.file("etc/group", 0o644, busyboxGroups),
		t.file("etc/shadow", 0o600, "root:*:::::::\nnobody:*:::::::\n"),
	)
	if err != nil {
		return err
	}
	f, err := os.Open(deb)
	if err != nil {
		return fmt.Errorf("reading a package: %w", err)
	}
	defer f.Close()
	files, err := DataOf(f)
	if err != nil {
		return err
	}
	for {
		h, err := files.Next()
		if err != nil {
			return &FormatError{File: "busybox-static", Reason: "there is no busybox in it: " + err.Error()}
		}
		if name := Place(h.Name, false); h.Typeflag == tar.TypeReg && (name == "bin/busybox" || name == "usr/bin/busybox") {
			h.Name, h.Mode = "bin/busybox", 0o755
			return t.put(h, files)
		}
	}
}
