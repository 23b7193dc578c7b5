package images

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/containerd/errdefs"
)

// PullReason tells why an image could not be had.
type PullReason string

// The reasons that are told apart.
const (
	NotFound    PullReason = "not_found"
	Denied      PullReason = "denied"
	Unreachable PullReason = "unreachable"
	RateLimited PullReason = "rate_limited"
	NotPulled   PullReason = "not_pulled" // the policy forbids it
	OtherPull   PullReason = "other"
)

// PullError says that an image is not on the engine and could not be pulled.
// errors.As finds *NoSpaceError in it where the engine's disk was full.
type PullError struct {
	Ref    string
	Reason PullReason
	Cause  error
}

// Error implements error.
func (e *PullError) Error() string {
	text := fmt.Sprintf("the image %s could not be pulled (%s): %v", e.Ref, e.Reason, e.Cause)
	switch e.Reason {
	case NotPulled:
		text = fmt.Sprintf("the image %s is not on the engine and the pull policy is never", e.Ref)
	case Denied:
		text += "; log in with `docker login`"
	case RateLimited:
		text += "; try later, or log in with `docker login`"
	case NotFound, Unreachable, OtherPull:
	}
	if name, ok := Makeable(e.Ref); ok {
		text += fmt.Sprintf("; `seatrial images base %s` makes it without a registry", strings.TrimSuffix(name, ":latest"))
	}
	return text
}

// Unwrap returns the cause.
func (e *PullError) Unwrap() error { return e.Cause }

// pullError sorts an engine's error. Engines hand most registry errors on as
// text, so the error identifiers of the distribution specification ("Error
// codes") and the text of Go's network errors in the engine are looked for.
func pullError(ref string, err error) *PullError {
	e := &PullError{Ref: ref, Reason: OtherPull, Cause: err}
	text := strings.ToLower(err.Error())
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	var network net.Error
	switch {
	case has(noSpace):
		e.Cause = &NoSpaceError{Cause: err}
	case has("toomanyrequests", "too many requests", "429"):
		e.Reason = RateLimited
	case errdefs.IsUnauthorized(err), errdefs.IsPermissionDenied(err), has("unauthorized", "access denied", "denied:", "authentication required"):
		e.Reason = Denied
	case errdefs.IsNotFound(err), has("manifest unknown", "name unknown", "not found"):
		e.Reason = NotFound
	case errors.As(err, &network), has("dial tcp", "no such host", "i/o timeout", "connection refused", "connection reset",
		"tls handshake", "request canceled while waiting", "deadline exceeded", "network is unreachable", "unexpected eof"):
		e.Reason = Unreachable
	}
	return e
}
