package images

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// NoBuilderError says that an engine cannot build, since it has no BuildKit.
type NoBuilderError struct{ Cause error }

// Error implements error.
func (e *NoBuilderError) Error() string {
	return fmt.Sprintf("the engine has no BuildKit, so that it cannot build images; use a Docker Engine, or a task with a prebuilt docker_image: %v", e.Cause)
}

// Unwrap returns the cause.
func (e *NoBuilderError) Unwrap() error { return e.Cause }

// isUnreachable says whether a call never reached BuildKit. An old BuildKit that does not know the call has been reached.
func isUnreachable(err error) bool { return status.Code(err) == codes.Unavailable }
