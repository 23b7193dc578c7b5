package images_test

import (
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"

	"github.com/seatrial/seatrial/images"
)

func TestMade(t *testing.T) {
	const digest = "sha256:0123456789abcdef0123"
	ours := map[string]string{images.CacheLabel: "image", images.DigestLabel: digest}
	tag := images.Tag("My task", digest)
	for _, c := range []struct {
		name   string
		labels map[string]string
		tags   []string
		want   bool
	}{
		{"as it is made", ours, []string{tag}, true},
		{"under two names of ours", ours, []string{tag, images.Tag("other", digest)}, true},
		{"named by its user as well", ours, []string{tag, "mine:latest"}, false},
		{"with a tag of its user's", ours, []string{"seatrial/my-task:kept"}, false},
		{"of another registry", ours, []string{"host/seatrial/my-task:0123456789abcdef"}, false},
		{"derived from one of ours", ours, []string{"mine:latest"}, false},
		{"derived, with a name like ours", map[string]string{images.CacheLabel: "image", images.DigestLabel: digest}, []string{"seatrial/my-task/x:0123456789abcdef"}, false},
		{"without a name", ours, nil, false},
		{"without a name, as some engines say it", ours, []string{"<none>:<none>"}, false},
		{"held for a build by its id", ours, []string{"seatrial/held:0123456789abcdef0123456789abcdef"}, false},
		{"a base image", map[string]string{images.CacheLabel: "base"}, []string{"debian:bookworm-slim"}, false},
		{"without labels", nil, []string{tag}, false},
		{"without a digest", map[string]string{images.CacheLabel: "image"}, []string{"seatrial/x:"}, false},
	} {
		got, ok := images.Made(c.labels, c.tags)
		if ok != c.want || ok && got != digest {
			t.Errorf("%s: %q %v", c.name, got, ok)
		}
	}
}

func TestAnImageIsKeptUntilItIsDoneWith(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := &fakeEngine{has: map[string]image.InspectResponse{"seatrial/x:1": {ID: "sha256:1", Config: &dockerspec.DockerOCIImageConfig{}}, "busybox": {ID: "sha256:2", Config: &dockerspec.DockerOCIImageConfig{}}}}
	e.has["seatrial/x:1"].Config.Labels = map[string]string{images.DigestLabel: "d"}
	img, err := images.New(e).Take(t.Context(), images.Wanted{Ref: "seatrial/x:1", Policy: images.PullNever})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := images.Claim("d"); err != nil || done != nil {
		t.Errorf("it could be claimed: %v", err)
	}
	img.Done()
	img.Done()
	if at, err := images.LastUsed("d"); err != nil || time.Since(at) > time.Minute {
		t.Errorf("last used at %v, %v", at, err)
	}
	done, err := images.Claim("d")
	if err != nil || done == nil {
		t.Fatalf("it is done with, and could not be claimed: %v", err)
	}
	done(true)
	other, err := images.New(e).Take(t.Context(), images.Wanted{Ref: "busybox"})
	if err != nil {
		t.Fatal(err)
	}
	other.Done() // of somebody else's there is nothing to say
}
