package images_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"

	"github.com/seatrial/seatrial/images"
)

func TestTake(t *testing.T) {
	amd := image.InspectResponse{ID: "sha256:1", Os: "linux", Architecture: "amd64"}
	arm := image.InspectResponse{ID: "sha256:2", Os: "linux", Architecture: "arm64"}
	has := map[string]image.InspectResponse{"a": amd}
	unknown := answer{err: errors.New("manifest unknown: manifest unknown")}
	tests := []struct {
		name   string
		engine *fakeEngine
		wanted images.Wanted
		id     string
		reason images.PullReason
		pulls  int
	}{
		{name: "what is there is taken without a registry", engine: &fakeEngine{has: has}, wanted: images.Wanted{Ref: "a"}, id: "sha256:1"},
		{name: "what is missing is pulled", engine: &fakeEngine{answers: []answer{{brings: amd}}}, wanted: images.Wanted{Ref: "a"}, id: "sha256:1", pulls: 1},
		{name: "what is missing is not pulled against the policy", engine: &fakeEngine{}, wanted: images.Wanted{Ref: "a", Policy: images.PullNever}, reason: images.NotPulled},
		{name: "what is there is pulled if the policy wants it", engine: &fakeEngine{has: map[string]image.InspectResponse{"a": amd}, answers: []answer{{brings: arm}}}, wanted: images.Wanted{Ref: "a", Policy: images.PullAlways}, id: "sha256:2", pulls: 1},
		{name: "an image for another platform is none", engine: &fakeEngine{has: map[string]image.InspectResponse{"a": amd}, answers: []answer{{brings: arm}}}, wanted: images.Wanted{Ref: "a", Platform: "linux/arm64"}, id: "sha256:2", pulls: 1},
		{name: "a pull that brings another platform is a fault", engine: &fakeEngine{answers: []answer{{brings: amd}}}, wanted: images.Wanted{Ref: "a", Platform: "linux/arm64"}, reason: images.NotFound, pulls: 1},
		{name: "an unknown image is a fault", engine: &fakeEngine{answers: []answer{unknown}}, wanted: images.Wanted{Ref: "a"}, reason: images.NotFound, pulls: 1},
		{name: "a fault in the stream is one", engine: &fakeEngine{answers: []answer{{stream: `{"status":"x"}{"errorDetail":{"message":"unauthorized: no"}}`}}}, wanted: images.Wanted{Ref: "a"}, reason: images.Denied, pulls: 1},
		{name: "a stream that is no JSON is a fault", engine: &fakeEngine{answers: []answer{{stream: `<errorDetail>`}}}, wanted: images.Wanted{Ref: "a"}, reason: images.OtherPull, pulls: 1},
		{name: "a wrong reference is a fault", engine: &fakeEngine{}, wanted: images.Wanted{Ref: "A b"}, reason: images.OtherPull},
		{name: "a rate limit is not waited out if only one try is wanted", engine: &fakeEngine{answers: []answer{{err: errors.New("toomanyrequests: x")}}}, wanted: images.Wanted{Ref: "a", Once: true}, reason: images.RateLimited, pulls: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			img, err := images.New(tt.engine).Take(t.Context(), tt.wanted)
			var fault *images.PullError
			if errors.As(err, &fault) != (tt.reason != "") || fault != nil && fault.Reason != tt.reason {
				t.Errorf("got %v, want the reason %q", err, tt.reason)
			}
			if img.ID != tt.id || tt.engine.pulls != tt.pulls || img.Pulled != (tt.pulls > 0 && tt.id != "") {
				t.Errorf("got %s after %d pulls (%v), want %s after %d", img.ID, tt.engine.pulls, img.Pulled, tt.id, tt.pulls)
			}
		})
	}
}

func TestPullReasons(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want images.PullReason
	}{
		{"an engine's not found", errdefs.ErrNotFound, images.NotFound},
		{"an engine's no", errdefs.ErrPermissionDenied, images.Denied},
		{"a hidden repository", errors.New("pull access denied for x, repository does not exist or may require 'docker login'"), images.Denied},
		{"no name server", errors.New(`Get "https://x/v2/": dial tcp: lookup x: no such host`), images.Unreachable},
		{"a registry that hangs", errors.New(`Get "https://x/v2/": net/http: request canceled while waiting for connection`), images.Unreachable},
		{"anything else", errors.New("the moon is full"), images.OtherPull},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := images.New(&fakeEngine{answers: []answer{{err: tt.err}}}).Take(t.Context(), images.Wanted{Ref: "x/y"})
			var fault *images.PullError
			if !errors.As(err, &fault) || fault.Reason != tt.want {
				t.Errorf("got %v, want the reason %q", err, tt.want)
			}
		})
	}
	full := &fakeEngine{answers: []answer{{err: errors.New("write /x: no space left on device")}}}
	var noSpace *images.NoSpaceError
	if _, err := images.New(full).Take(t.Context(), images.Wanted{Ref: "a"}); !errors.As(err, &noSpace) {
		t.Errorf("got %v, want a NoSpaceError", err)
	}
}

func TestTakeWaitsOutARateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := answer{err: errors.New("toomanyrequests: You have reached your pull rate limit")}
		engine := &fakeEngine{answers: []answer{limited, limited, limited, {}}}
		start := time.Now()
		var log bytes.Buffer
		if _, err := images.New(engine).Take(t.Context(), images.Wanted{Ref: "a", Log: &log}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 14*time.Second { // 2 + 4 + 8
			t.Errorf("it took %v", took)
		}
		if n := bytes.Count(log.Bytes(), []byte("too many requests")); n != 3 {
			t.Errorf("the log tells of %d waits:\n%s", n, log.String())
		}

		engine.has, engine.answers = nil, []answer{limited}
		reason := errors.New("the limit of a minute")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, reason)
		defer cancel()
		if _, err := images.New(engine).Take(ctx, images.Wanted{Ref: "a"}); !errors.Is(err, reason) {
			t.Errorf("got %v, want the context's cause", err)
		}
	})
}

func TestEqualPullsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &fakeEngine{answers: []answer{{brings: image.InspectResponse{ID: "sha256:1"}}}, hold: make(chan struct{})}
		store := images.New(engine)
		var all sync.WaitGroup
		reason := errors.New("not any more")
		early, leave := context.WithCancelCause(t.Context())
		all.Go(func() { // the first to come is the first to leave
			if _, err := store.Take(early, images.Wanted{Ref: "a"}); !errors.Is(err, reason) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait()
		for range 7 {
			all.Go(func() {
				if img, err := store.Take(t.Context(), images.Wanted{Ref: "a"}); err != nil || img.ID != "sha256:1" {
					t.Errorf("got %v, %v", img, err)
				}
			})
		}
		synctest.Wait()
		leave(reason)
		synctest.Wait()
		close(engine.hold)
		all.Wait()
		if engine.pulls != 1 {
			t.Errorf("%d pulls", engine.pulls)
		}
	})
}

func TestAPullEndsWithTheLastWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &fakeEngine{answers: []answer{{}}, hold: make(chan struct{})}
		store := images.New(engine)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := store.Take(ctx, images.Wanted{Ref: "a"}); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		all.Wait() // that nothing is left running is what synctest sees to
		engine.hold = nil
		if _, err := store.Take(t.Context(), images.Wanted{Ref: "a"}); err != nil || engine.pulls != 2 {
			t.Errorf("who comes later got %v after %d pulls", err, engine.pulls)
		}
	})
}
