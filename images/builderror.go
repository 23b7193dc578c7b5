package images

import (
	"fmt"
	"strings"
)

// BuildReason tells why a build failed.
type BuildReason string

// The reasons that are told apart.
const (
	StepExit     BuildReason = "step_exit"     // a RUN's command ended with an exit code
	SyntaxFault  BuildReason = "syntax"        // the Dockerfile itself is wrong
	SourceGone   BuildReason = "copy_source"   // COPY or ADD of something that is not there
	BaseGone     BuildReason = "base_image"    // FROM or COPY --from an image that could not be had
	OtherFailure BuildReason = "other_failure" // anything else; see Cause
)

// BuildError says that a build failed. errors.As finds *NoSpaceError in it where
// the engine's disk was full.
type BuildError struct {
	Reason     BuildReason
	Dockerfile string   // its path
	Line       int      // in the Dockerfile, from 1; 0 where it is not known
	Step       string   // as in "RUN make"; empty where no step failed
	ExitCode   int      // of the step's command, for StepExit
	Base       string   // the image, for BaseGone
	LastLines  []string // of the step's output, at most 20
	Cause      error
}

// Error implements error. It is one line; LastLines is for who wants more.
func (e *BuildError) Error() string {
	at := e.Dockerfile
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.Dockerfile, e.Line)
	}
	switch e.Reason {
	case StepExit:
		return fmt.Sprintf("%s: %s ended with exit code %d", at, short(e.Step), e.ExitCode)
	case SyntaxFault:
		return fmt.Sprintf("%s: %v", at, e.Cause)
	case SourceGone:
		text := fmt.Sprintf("%s: %s: what it copies does not exist: %v", at, short(e.Step), e.Cause)
		if !strings.Contains(e.Step, "--from=") {
			text += "; it must be in the build context and not left out by .dockerignore"
		}
		return text
	case BaseGone:
		text := fmt.Sprintf("%s: the image %s is not on the engine and could not be pulled: %v", at, e.Base, e.Cause)
		if name, ok := Makeable(e.Base); ok {
			text += fmt.Sprintf("; `seatrial images base %s` makes it without a registry", strings.TrimSuffix(name, ":latest"))
		}
		return text
	case OtherFailure:
	}
	if e.Step != "" {
		return fmt.Sprintf("%s: %s failed: %v", at, short(e.Step), e.Cause)
	}
	return fmt.Sprintf("%s: the build failed: %v", at, e.Cause)
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Cause }

// NoSpaceError says that the engine's disk is full.
type NoSpaceError struct{ Cause error }

// Error implements error.
func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("the engine's disk is full; free space there, for instance with `docker system prune`: %v", e.Cause)
}

// Unwrap returns the engine's error.
func (e *NoSpaceError) Unwrap() error { return e.Cause }

// short is a step in at most 120 bytes of one line.
func short(step string) string {
	step = strings.Join(strings.Fields(step), " ")
	if len(step) > 120 {
		return strings.ToValidUTF8(step[:117], "") + "..."
	}
	return step
}
