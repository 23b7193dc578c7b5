package images_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/images/internal/enginetest"
)

// busybox returns an engine that has busybox and labels for what is built on it.
func busybox(t *testing.T) (*client.Client, map[string]string) {
	t.Helper()
	c := enginetest.Client(t)
	enginetest.Busybox(t, c)
	return c, enginetest.Labels(t, c)
}

// once makes a Dockerfile that no build cache knows.
func once(dockerfile string) string { return dockerfile + "\n# " + rand.Text() + "\n" }

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for !is() {
		if time.Now().After(end) {
			t.Error("it did not come about in 20 s")
			return
		}
	}
}

// running tells whether the engine's machine runs a sleep of so many seconds.
func running(t *testing.T, c *client.Client, mark string) bool {
	t.Helper()
	return strings.Contains(runWith(t, c, "busybox", "ps -o args", &container.HostConfig{PidMode: "host"}), "sleep "+mark)
}

func runIn(t *testing.T, c *client.Client, ref, script string) string {
	t.Helper()
	return runWith(t, c, ref, script, nil)
}

func runWith(t *testing.T, c *client.Client, ref, script string, host *container.HostConfig) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	created, err := c.ContainerCreate(ctx, &container.Config{Image: ref, Entrypoint: []string{"sh", "-c", script}}, host, nil, nil, "")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() {
		if err := c.ContainerRemove(ctx, created.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}()
	if err := c.ContainerStart(ctx, created.ID, container.StartOptions{}); err != nil {
		t.Error(err)
		return ""
	}
	lines, err := c.ContainerLogs(ctx, created.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer lines.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, lines); err != nil {
		t.Error(err)
	}
	return out.String()
}
