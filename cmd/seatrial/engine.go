package main

import (
	"context"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// host finds the engine, the network pool and the limit on the engine's silence.
func (a *app) host() (sidecar.Host, error) {
	h, err := sidecar.FindHost(a.lookup)
	if err != nil {
		return h, err
	}
	h.Pool, _ = a.lookup("SEATRIAL_NETWORK_POOL")
	limit, _ := a.lookup("SEATRIAL_CALL_LIMIT")
	return h.Patient(limit)
}

// connect opens a connection to the engine and makes sure that it answers.
func (a *app) connect(ctx context.Context) (*sidecar.Engine, error) {
	host, err := a.host()
	if err != nil {
		return nil, err
	}
	e, err := sidecar.Connect(host)
	if err != nil {
		return nil, err
	}
	if _, err := orchestrator.Ping(ctx, e); err != nil {
		return nil, err
	}
	return e, nil
}
