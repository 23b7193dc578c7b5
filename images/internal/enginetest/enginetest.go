// Package enginetest connects tests to a real container engine and cleans up
// after them.
package enginetest

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"github.com/seatrial/seatrial/images/base"
)

// Label marks what tests make; its value is the test's name.
const Label = "dev.seatrial.test"

// Client connects to the engine that DOCKER_HOST names, else the machine's own.
// Where none answers the test is skipped, with CI=true it fails.
func Client(t testing.TB) *client.Client {
	t.Helper()
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Ping(ctx); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no engine answers: %v", err)
		}
		t.Skipf("no engine answers: %v", err)
	}
	return c
}

// Busybox sees to it that the engine has busybox:latest, which stays.
func Busybox(t testing.TB, c *client.Client) {
	t.Helper()
	if _, err := base.Make(t.Context(), c, "busybox", base.Options{}); err != nil {
		t.Fatalf("making busybox: %v", err)
	}
}

// Counting returns a client of the same engine and the number of its requests so far.
func Counting(t testing.TB, c *client.Client) (*client.Client, func() int64) {
	t.Helper()
	n := &counter{next: c.HTTPClient().Transport}
	counted, err := client.NewClientWithOpts(client.FromEnv, client.WithVersion(c.ClientVersion()),
		client.WithHTTPClient(&http.Client{Transport: n}))
	if err != nil {
		t.Fatal(err)
	}
	return counted, n.count.Load
}

type counter struct {
	next  http.RoundTripper
	count atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.count.Add(1)
	return c.next.RoundTrip(r) //nolint:wrapcheck // handed on as it is
}

// Labels are to be put on what the test makes; all images and containers with
// them are removed at its end.
func Labels(t testing.TB, c *client.Client) map[string]string {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		remove(ctx, t, c)
	})
	return map[string]string{Label: t.Name()}
}

func remove(ctx context.Context, t testing.TB, c *client.Client) {
	t.Helper()
	ours := filters.NewArgs(filters.Arg("label", Label+"="+t.Name()))
	containers, err := c.ContainerList(ctx, container.ListOptions{All: true, Filters: ours})
	if err != nil {
		t.Errorf("cleaning up: %v", err)
	}
	for _, one := range containers {
		if err := c.ContainerRemove(ctx, one.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}
	found, err := c.ImageList(ctx, image.ListOptions{Filters: ours})
	if err != nil {
		t.Errorf("cleaning up: %v", err)
	}
	for _, one := range found {
		if _, err := c.ImageRemove(ctx, one.ID, image.RemoveOptions{Force: true, PruneChildren: true}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}
}
