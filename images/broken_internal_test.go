package images

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		why  BuildReason
		want bool
	}{
		{"a connection that was closed for its silence", fmt.Errorf("solve: %w", status.Error(codes.Canceled, "grpc: the client connection is closing")), OtherFailure, true},
		{"the same while a base image is asked for", status.Error(codes.Canceled, "grpc: the client connection is closing"), BaseGone, true},
		{"an engine that is gone", status.Error(codes.Unavailable, "error reading from server: EOF"), OtherFailure, true},
		{"a session that the engine sees close first", status.Error(codes.Unknown, "failed to load cache key: rpc error: code = Unavailable desc = transport is closing"), OtherFailure, true},
		{"a registry of which the engine says the same", status.Error(codes.Unknown, "rpc error: code = Unavailable desc = 503"), BaseGone, false},
		{"a registry that is not available", status.Error(codes.Unavailable, "503 Service Unavailable"), BaseGone, false},
		{"a failure of the build", status.Error(codes.Unknown, "process did not complete successfully"), OtherFailure, false},
		{"one without a code", errors.New("failed"), OtherFailure, false},
	} {
		if got := givenUp(c.err, c.why); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
