package base_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/images/base"
	"github.com/seatrial/seatrial/images/internal/enginetest"
)

func TestMakeBusybox(t *testing.T) {
	c := enginetest.Client(t)
	const name = "seatrial/test-busybox:made"
	t.Cleanup(func() { dropImage(t, c, name) })
	var log bytes.Buffer
	made, err := base.Make(t.Context(), c, "busybox", base.Options{Force: true, As: name, Log: &log})
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if made.How != base.Made || !made.Verified || made.Packages != 1 || made.Released == "" {
		t.Errorf("result %+v", made)
	}
	got := runIn(t, c, name, "id -un; stat -c %a /tmp; echo $PATH; command -v awk; /usr/bin/env true && echo fine; find / -xdev -name '*seatrial*'")
	want := "root\n1777\n/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nawk\nfine\n"
	if got != want {
		t.Errorf("in the image:\n%s\nwant:\n%s", got, want)
	}
	again, err := base.Make(t.Context(), c, "busybox", base.Options{Force: true, As: name})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ImageInspect(t.Context(), made.ID); again.ID != made.ID && err == nil {
		t.Error("the image that was replaced is still there")
	}
	nothingHalfMade(t, c, name)
}

func TestMakeDebian(t *testing.T) {
	c := enginetest.Client(t)
	var log bytes.Buffer
	made, err := base.Make(t.Context(), c, "debian:bookworm-slim", base.Options{Log: &log})
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Logf("%s: %s in %.1f s", made.Ref, made.How, made.Seconds)
	if got := runIn(t, c, made.Ref, "dpkg --audit; . /etc/os-release; echo $VERSION_CODENAME; apt-get --version >/dev/null && echo apt; find / -xdev -name '*seatrial*'"); got != "bookworm\napt\n" {
		t.Errorf("in the image:\n%s", got)
	}
	there, err := base.Make(t.Context(), c, "docker.io/library/debian:bookworm-slim", base.Options{})
	if err != nil || there.How != base.Present || there.ID != made.ID {
		t.Errorf("the second time: %+v, %v", there, err)
	}
}

func TestMakeLeavesNothingWhenCancelled(t *testing.T) {
	c := enginetest.Client(t)
	reason := errors.New("called off")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	starts := &startHook{Client: c, hook: func() { cancel(reason) }}
	_, err := base.Make(ctx, starts, "busybox", base.Options{Force: true, As: "seatrial/test-busybox:cancelled"})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the reason of the cancel", err)
	}
	nothingHalfMade(t, c, "seatrial/test-busybox:cancelled")
	if _, err := c.ImageInspect(t.Context(), "seatrial/test-busybox:cancelled"); err == nil {
		dropImage(t, c, "seatrial/test-busybox:cancelled")
		t.Error("an image was made all the same")
	}
}

// startHook calls off the work just after its container was started.
type startHook struct {
	*client.Client
	hook func()
}

func (s *startHook) ContainerStart(ctx context.Context, id string, o container.StartOptions) error {
	err := s.Client.ContainerStart(ctx, id, o)
	s.hook()
	return err
}

func TestMakeRefusesOthers(t *testing.T) {
	var fault *base.UnknownBaseError
	if _, err := base.Make(t.Context(), nil, "ubuntu:24.04", base.Options{}); !errors.As(err, &fault) || !strings.Contains(err.Error(), "debian:trixie-slim") {
		t.Errorf("got %v, want an UnknownBaseError that names what can be made", err)
	}
}

func runIn(t *testing.T, c *client.Client, ref, script string) string {
	t.Helper()
	created, err := c.ContainerCreate(t.Context(), &container.Config{Image: ref, Cmd: []string{"sh", "-c", script}, Labels: enginetest.Labels(t, c)}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ContainerStart(t.Context(), created.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.ContainerRemove(t.Context(), created.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}()
	lines, err := c.ContainerLogs(t.Context(), created.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, lines); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func dropImage(t *testing.T, c *client.Client, ref string) {
	t.Helper()
	if _, err := c.ImageRemove(context.WithoutCancel(t.Context()), ref, image.RemoveOptions{Force: true}); err != nil {
		t.Errorf("cleaning up: %v", err)
	}
}

func nothingHalfMade(t *testing.T, c *client.Client, ref string) {
	t.Helper()
	half := filters.NewArgs(filters.Arg("label", "dev.seatrial.cache=base-build"), filters.Arg("label", "dev.seatrial.base.of="+ref))
	containers, err := c.ContainerList(t.Context(), container.ListOptions{All: true, Filters: half})
	if err != nil || len(containers) > 0 {
		t.Errorf("containers left over: %v %v", containers, err)
	}
	found, err := c.ImageList(t.Context(), image.ListOptions{Filters: half})
	if err != nil || len(found) > 0 {
		t.Errorf("half-made images left over: %v %v", found, err)
	}
}
