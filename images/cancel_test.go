package images_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/images"
)

func TestCancelEndsTheBuildOnTheEngine(t *testing.T) {
	c, labels := busybox(t)
	mark := fmt.Sprint(100000 + time.Now().UnixNano()%800000)
	reason := errors.New("the build's limit")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	began := func(e images.Event) {
		if e.Kind == images.StepStarted && strings.Contains(e.Step, "RUN") {
			go func() { // when the step's command really runs
				waitFor(t, func() bool { return running(t, c, mark) })
				cancel(reason)
			}()
		}
	}
	start := time.Now()
	_, err := images.New(c).Build(ctx, images.Request{
		Context: t.TempDir(), Inline: "FROM busybox\nRUN sleep " + mark, Labels: labels, Progress: began,
	})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the reason of the cancel", err)
	}
	waitFor(t, func() bool { return !running(t, c, mark) })
	t.Logf("it took %v in all", time.Since(start))
}

func TestARegistryThatHangsDoesNotOutlastTheLimit(t *testing.T) {
	c, labels := busybox(t)
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, do := range map[string]func(context.Context, string) error{
		"a pull": func(ctx context.Context, ref string) error {
			_, err := images.New(c).Take(ctx, images.Wanted{Ref: ref})
			return err
		},
		"a build": func(ctx context.Context, ref string) error {
			_, err := images.New(c).Build(ctx, images.Request{Context: t.TempDir(), Inline: "FROM " + ref, Labels: labels})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			limit := errors.New("the limit")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, limit)
			defer cancel()
			start := time.Now()
			err := do(ctx, silent.Addr().String()+"/none:1")
			var pull *images.PullError
			var build *images.BuildError
			if !errors.Is(err, limit) && !errors.As(err, &pull) && !errors.As(err, &build) { // the latter two where the engine does not see this host's loopback
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > 7*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
