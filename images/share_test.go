package images_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/client"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/images/internal/enginetest"
)

// dials counts the connections to BuildKit: one a build.
type dials struct {
	*client.Client
	grpc atomic.Int64
}

func (d *dials) DialHijack(ctx context.Context, url, proto string, meta map[string][]string) (net.Conn, error) {
	if url == "/grpc" {
		d.grpc.Add(1)
	}
	return d.Client.DialHijack(ctx, url, proto, meta)
}

func TestEightAtOnceBuildOnce(t *testing.T) {
	c, labels := busybox(t)
	engine := &dials{Client: c}
	store := images.New(engine)
	for _, tt := range []struct {
		name, dockerfile string
		fails            bool
	}{
		{name: "all get the one image", dockerfile: "FROM busybox\nRUN sleep 1; cat /proc/sys/kernel/random/uuid >/id"},
		{name: "all get the one failure", dockerfile: "FROM busybox\nRUN sleep 1; false", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine.grpc.Store(0)
			r := images.Request{Context: t.TempDir(), Inline: once(tt.dockerfile), Labels: labels}
			var got [8]images.Image
			var errs [8]error
			var all sync.WaitGroup
			for i := range got {
				all.Go(func() { got[i], errs[i] = store.Build(t.Context(), r) })
			}
			all.Wait()
			for i := range got {
				if (errs[i] != nil) != tt.fails || got[i].ID != got[0].ID || errs[i] != errs[0] { //nolint:errorlint // the very same one is meant
					t.Errorf("one got %s %v, another %s %v", got[0].ID, errs[0], got[i].ID, errs[i])
				}
			}
			if n := engine.grpc.Load(); n != 1 {
				t.Errorf("%d builds", n)
			}
		})
	}
}

func TestTwoProcessesBuildOnce(t *testing.T) {
	if dir := os.Getenv("SEATRIAL_TEST_BUILD_IN"); dir != "" {
		img, err := images.New(enginetest.Client(t)).Build(t.Context(), images.Request{Context: dir, Labels: map[string]string{enginetest.Label: t.Name()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("outcome %v %s", img.Built, img.ID)
		return
	}
	busybox(t)
	dir := write(t, map[string]string{"Dockerfile": once("FROM busybox\nRUN sleep 1; cat /proc/sys/kernel/random/uuid >/id")})
	var out [2][]byte
	var all sync.WaitGroup
	for i := range out {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesBuildOnce$", "-test.v")
			cmd.Env = append(os.Environ(), "SEATRIAL_TEST_BUILD_IN="+dir)
			out[i], _ = cmd.CombinedOutput()
		})
	}
	all.Wait()
	var built, ids []string
	for _, text := range out {
		_, outcome, _ := bytes.Cut(text, []byte("outcome "))
		words := strings.Fields(string(outcome))
		if len(words) < 2 {
			t.Fatalf("a process failed:\n%s", text)
		}
		built, ids = append(built, words[0]), append(ids, words[1])
	}
	if ids[0] != ids[1] || built[0] == built[1] {
		t.Errorf("built: %v, ids: %v; want one build and one image", built, ids)
	}
}
