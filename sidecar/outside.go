package sidecar

import (
	"context"
	"fmt"

	"github.com/docker/docker/api/types/network"
)

// Outside lets services join the network with a way out, or takes them out of it. Services that have neither joined nor left it stay as they are.
func (s *Stack) Outside(ctx context.Context, join bool, services ...string) error {
	ctx, cancel := s.With(ctx)
	defer cancel()
	for _, name := range services {
		id := s.ID(name)
		var err error
		if join {
			err = s.join(ctx, s.place.shared, id, &network.EndpointSettings{})
		} else {
			err = s.leave(ctx, id)
		}
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("network of service %s: %w", name, err)
		}
	}
	return nil
}

// Resolver is where the stack's gateway answers names, for containers whose engine asks nobody outside an internal network (26 and later); empty where the
// engine's own resolver does it.
func (s *Stack) Resolver() string {
	if s.place.gateway == "" || !s.place.asksNobody {
		return ""
	}
	return s.place.gatewayAt
}

// leave takes a container out of the network with a way out, unless an earlier request has, or it was not in there.
func (s *Stack) leave(ctx context.Context, id string) error {
	err := s.eng.api.NetworkDisconnect(ctx, s.place.shared, id, true)
	if err == nil {
		return nil
	}
	st, ierr := s.eng.api.ContainerInspect(ctx, id)
	if ierr != nil || st.NetworkSettings == nil {
		return err //nolint:wrapcheck // the caller says what it was doing
	}
	for _, end := range st.NetworkSettings.Networks {
		if end != nil && end.NetworkID == s.place.shared {
			return err //nolint:wrapcheck // the caller says what it was doing
		}
	}
	return nil
}
