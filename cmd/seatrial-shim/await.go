//go:build linux

package main

import (
	"time"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/proc"
)

// awaitHold waits until the container is held: by its first process, or by what the image's entrypoint runs in the end.
func (j *job) awaitHold() {
	const look = 5 * time.Millisecond
	if j.spec.AwaitHoldMS <= 0 {
		return
	}
	for end := time.Now().Add(ms(j.spec.AwaitHoldMS)); time.Now().Before(end); time.Sleep(look) {
		if proc.Holding() {
			return
		}
	}
	j.warn("not_held", "the image's entrypoint has not run what it was given; the container is used while it goes on")
}
