package images_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// fakeEngine has images and answers pulls from a list; the last answer stays.
type fakeEngine struct {
	mu       sync.Mutex
	has      map[string]image.InspectResponse
	answers  []answer
	inspects int
	pulls    int
	hold     chan struct{} // where set, a pull waits until it is closed or called off
}

// answer is what a pull ends with: an error at once, or a stream. An image comes
// when the stream has no error in it.
type answer struct {
	err    error
	stream string
	brings image.InspectResponse
}

func (f *fakeEngine) ImageInspect(_ context.Context, ref string, _ ...client.ImageInspectOption) (image.InspectResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inspects++
	found, ok := f.has[ref]
	if !ok {
		return found, errdefs.ErrNotFound
	}
	return found, nil
}

func (f *fakeEngine) ImagePull(ctx context.Context, ref string, _ image.PullOptions) (io.ReadCloser, error) {
	f.mu.Lock()
	f.pulls++
	now := f.answers[0]
	if len(f.answers) > 1 {
		f.answers = f.answers[1:]
	}
	hold := f.hold
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if now.err != nil {
		return nil, now.err
	}
	if !strings.Contains(now.stream, "errorDetail") {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.has == nil {
			f.has = map[string]image.InspectResponse{}
		}
		f.has[ref] = now.brings
	}
	return io.NopCloser(strings.NewReader(now.stream)), nil
}

func (f *fakeEngine) Info(context.Context) (system.Info, error) {
	return system.Info{ID: "fake"}, nil
}

func (f *fakeEngine) DialHijack(context.Context, string, string, map[string][]string) (net.Conn, error) {
	return nil, errors.New("no BuildKit here")
}
