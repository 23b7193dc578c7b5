package e2e_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/orchestrator/cache"
	"github.com/seatrial/seatrial/sidecar"
)

// oldImage puts an image on the engine that looks as if seatrial had made it, of 8 MiB that no other has, and was last used long ago.
func oldImage(t *testing.T, name string) (ref, digest string) {
	t.Helper()
	content := make([]byte, 8<<20)
	_, _ = rand.Read(content)
	sum := sha256.Sum256(content)
	digest = hex.EncodeToString(sum[:])
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if err := w.WriteHeader(&tar.Header{Name: "content", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(content)
	_ = w.Close()
	ref = images.Tag(name, digest)
	rc, err := shared.engine.ImageImport(t.Context(), image.ImportSource{Source: &packed, SourceName: "-"}, ref,
		image.ImportOptions{Changes: []string{"LABEL " + images.CacheLabel + "=image", "LABEL " + images.DigestLabel + "=" + digest, `CMD ["/content"]`}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, rc)
	_ = rc.Close()
	t.Cleanup(func() { dropImage(t, ref) })
	done, err := lock.Use(t.Context(), "image", digest)
	if err != nil {
		t.Fatal(err)
	}
	done()
	h := sha256.New()
	for _, word := range []string{"image", digest} {
		fmt.Fprintf(h, "%d:%s", len(word), word)
	}
	dir, err := lock.CacheDir("used")
	if err != nil {
		t.Fatal(err)
	}
	long := time.Date(2001, 1, 1, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(dir+"/"+hex.EncodeToString(h.Sum(nil))[:32]+".lock", long, long); err != nil {
		t.Fatal(err)
	}
	return ref, digest
}

// dropImage takes a name from an image, and the image away when it has no other.
func dropImage(t *testing.T, ref string) {
	t.Helper()
	_, err := shared.engine.ImageRemove(context.WithoutCancel(t.Context()), ref, image.RemoveOptions{Force: true})
	if err != nil && !errdefs.IsNotFound(err) {
		t.Error(err)
	}
}

func hasImage(t *testing.T, ref string) bool {
	t.Helper()
	_, err := shared.engine.ImageInspect(t.Context(), ref)
	return err == nil
}

// It is not parallel, so that nothing else fills the engine while it looks: it removes the oldest of all that is there, which is its own.
func TestABudgetOfCachesTakesTheOldestThatNobodyUses(t *testing.T) {
	need(t)
	gone, _ := oldImage(t, "e2e-gone")
	contained, _ := oldImage(t, "e2e-contained")
	used, digest := oldImage(t, "e2e-used")
	named, _ := oldImage(t, "e2e-named")
	c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: contained}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeContainer(t, c.ID) })
	done, err := lock.Use(t.Context(), "image", digest)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	mine := "e2e-mine:" + strings.ToLower(rand.Text()[:8])
	if err := shared.engine.ImageTag(t.Context(), named, mine); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropImage(t, mine) })

	host, err := sidecar.FindHost(os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sidecar.Connect(host)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, all, err := cache.Preview(t.Context(), e, nil, 1<<60)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"SEATRIAL_CACHE=" + t.TempDir()}
	budget := fmt.Sprint(all.Sum() - 4<<20)
	line := "remove image " + gone + ", 8MiB, last used 2001-01-01"
	if code, out, errs := seatrial(t, env, "gc", "--cache", "--dry-run", "--keep-bytes", budget); code != 0 || !strings.HasPrefix(out, "would "+line) || strings.Count(out, "remove") != 1 || !hasImage(t, gone) {
		t.Errorf("a dry run: exit code %d\n%s%s", code, out, errs)
	}
	if code, out, errs := seatrial(t, env, "gc", "--cache", "--keep-bytes", budget); code != 0 || !strings.Contains(out, "removed image "+gone) || strings.Count(out, "removed") != 1 || !strings.Contains(out, "left: ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if hasImage(t, gone) {
		t.Error("the oldest is still there")
	}
	for _, ref := range []string{contained, used, named, mine} {
		if !hasImage(t, ref) {
			t.Errorf("%s was removed", ref)
		}
	}
	if code, out, errs := seatrial(t, env, "gc", "--cache", "--keep-bytes", "1PiB"); code != 0 || !strings.HasPrefix(out, "nothing to remove\nleft: ") {
		t.Errorf("a large budget: exit code %d\n%s%s", code, out, errs)
	}
}
