package sidecar

import (
	"fmt"
	"time"
)

// leastCallLimit keeps a mistyped limit from making every engine unusable.
const leastCallLimit = 100 * time.Millisecond

// Patient returns the host with a limit on the engine's silence, as SEATRIAL_CALL_LIMIT gives it: a duration such as 10s, at least 100ms. Empty
// text changes nothing. The error is an *UnusableError.
func (h Host) Patient(text string) (Host, error) {
	if text == "" {
		return h, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < leastCallLimit {
		err = fmt.Errorf("want at least %s", leastCallLimit)
	}
	if err != nil {
		return h, &UnusableError{Host: h.Address, Source: "SEATRIAL_CALL_LIMIT", Reason: fmt.Sprintf("%q is not a limit for one request", text), Cause: err}
	}
	h.CallLimit = d
	return h, nil
}
