package main

import (
	"github.com/seatrial/seatrial/sidecar"
)

// host finds the engine and the network pool.
func (a *app) host() (sidecar.Host, error) {
	h, err := sidecar.FindHost(a.lookup)
	if err != nil {
		return h, err //nolint:wrapcheck // it says what is wrong
	}
	h.Pool, _ = a.lookup("SEATRIAL_NETWORK_POOL")
	return h, nil
}
