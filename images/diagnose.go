package images

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
	gateway "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/errdefs"
	digest "github.com/opencontainers/go-digest"
)

// exitCode is at the end of what BuildKit says of a failed RUN. Engines before
// 23.0 send nothing but this text.
var exitCode = regexp.MustCompile(`exit code: (\d{1,3})$`)

// outcome is all that is known of a failed build.
type outcome struct {
	err      error // what the engine answered
	frontend error // what the frontend in this process failed with, nil if it did not
	eye      *witness
	seen     *trace
}

// diagnose makes of an outcome what people need to know.
func (o outcome) diagnose(d *definition) *BuildError {
	e := &BuildError{Reason: OtherFailure, Dockerfile: d.path, Line: o.line(), Cause: o.cause()}
	failed := o.failedStep()
	if failed != nil {
		e.LastLines = failed.tail
		if name, ok := instruction(failed.name); ok {
			e.Step = name
		}
	}
	code, exited := o.exit(failed)
	switch {
	case strings.Contains(o.err.Error(), noSpace):
		e.Cause = &NoSpaceError{Cause: e.Cause}
	case o.eye.base != "":
		e.Reason, e.Base, e.Step = BaseGone, o.eye.base, ""
	case exited:
		e.Reason, e.ExitCode = StepExit, code
	case failed != nil && copies(e.Step) && missing(failed.failure):
		e.Reason = SourceGone
	case o.frontend != nil && failed == nil:
		e.Reason = SyntaxFault
	}
	return e
}

// cause is the most telling of the errors: what the step said, for the engine's
// answer repeats it between words about itself.
func (o outcome) cause() error {
	if failed := o.failedStep(); failed != nil {
		return errors.New(failed.failure)
	}
	if o.frontend != nil {
		return o.frontend
	}
	return o.err
}

func (o outcome) failedStep() *step {
	var vertex *errdefs.VertexError
	if errors.As(o.err, &vertex) {
		if st := o.seen.steps[digest.Digest(vertex.Digest)]; st != nil && st.failure != "" {
			return st
		}
	}
	return o.seen.failed
}

func (o outcome) exit(failed *step) (code int, ok bool) {
	var exit *gateway.ExitError
	if errors.As(o.err, &exit) {
		return int(exit.ExitCode), true
	}
	if failed == nil {
		return 0, false
	}
	name, _ := instruction(failed.name)
	found := exitCode.FindStringSubmatch(failed.failure)
	if found == nil || !strings.HasPrefix(name, "RUN ") {
		return 0, false
	}
	code, err := strconv.Atoi(found[1])
	return code, err == nil
}

func (o outcome) line() int {
	for _, err := range []error{o.frontend, o.err} {
		if err == nil {
			continue
		}
		var at *parser.LocationError
		if errors.As(err, &at) && len(at.Locations) > 0 && len(at.Locations[0]) > 0 {
			return at.Locations[0][0].Start.Line
		}
		for _, source := range errdefs.Sources(err) {
			if len(source.Ranges) > 0 && source.Ranges[0].Start != nil {
				return int(source.Ranges[0].Start.Line)
			}
		}
	}
	if failed := o.failedStep(); failed != nil { // engines before 23.0 do not send lines
		return o.eye.lines[failed.digest]
	}
	return 0
}

// instruction takes the Dockerfile's instruction out of a step's name, as in
// "[build 2/3] RUN make", which the frontend in this process gives it.
func instruction(name string) (string, bool) {
	if !strings.HasPrefix(name, "[") || strings.HasPrefix(name, "[internal]") {
		return "", false
	}
	_, text, ok := strings.Cut(name, "] ")
	return text, ok
}

func copies(step string) bool {
	return strings.HasPrefix(step, "COPY ") || strings.HasPrefix(step, "ADD ")
}

// missing reads the text of a failed COPY, for engines send no kind of error
// with it: BuildKit's cache/contenthash and the kernel's ENOENT.
func missing(failure string) bool {
	return strings.HasSuffix(failure, "not found") || strings.HasSuffix(failure, "no such file or directory")
}

// noSpace is the kernel's text for ENOSPC, all that comes through of it.
const noSpace = "no space left on device"
