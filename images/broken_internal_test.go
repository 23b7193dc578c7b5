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
		line int
	}{
		{"a connection that was closed for its silence", fmt.Errorf("solve: %w", status.Error(codes.Canceled, "grpc: the client connection is closing")), OtherFailure, true, 0},
		{"the same while a base image is asked for", status.Error(codes.Canceled, "grpc: the client connection is closing"), BaseGone, true, 0},
		{"an engine that is gone", status.Error(codes.Unavailable, "error reading from server: EOF"), OtherFailure, true, 0},
		{"a session that the engine sees close first", status.Error(codes.Unknown, "failed to load cache key: rpc error: code = Unavailable desc = transport is closing"), OtherFailure, true, 0},
		{"a registry of which the engine says the same", status.Error(codes.Unknown, "rpc error: code = Unavailable desc = 503"), BaseGone, false, 0},
		{"a registry that is not available", status.Error(codes.Unavailable, "503 Service Unavailable"), BaseGone, false, 0},
		{"a failure of the build", status.Error(codes.Unknown, "process did not complete successfully"), OtherFailure, false, 0},
		{"a Dockerfile that did not get there", errors.New("sending the Dockerfile: failed to read dockerfile: rpc error: code = Unavailable desc = transport is closing"), SyntaxFault, true, 0},
		{"a Dockerfile that says so itself", errors.New("unknown instruction: rpc error: code = Unavailable desc = transport is closing"), SyntaxFault, false, 3},
		{"a Dockerfile that is wrong", errors.New("the Dockerfile cannot be empty"), SyntaxFault, false, 0},
		{"one without a code", errors.New("failed"), OtherFailure, false, 0},
	} {
		if got := givenUp(c.err, &BuildError{Reason: c.why, Line: c.line}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
