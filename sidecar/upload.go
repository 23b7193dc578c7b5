package sidecar

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// upload copies the folders that a service wants to find when it starts into its container, in one go.
func (s *Stack) upload(ctx context.Context, svc *stack.Service) error {
	if len(svc.Uploads) == 0 {
		return nil
	}
	trees := make([]archive.Tree, len(svc.Uploads))
	for i, u := range svc.Uploads {
		trees[i] = archive.Tree{Root: u.Host, PackOptions: archive.PackOptions{Prefix: strings.TrimPrefix(u.Target, "/")}}
	}
	err := Again(ctx, func() { s.eng.retried(ctx) }, func() error {
		return archive.Pipe(
			func(w io.Writer) error { return archive.PackTrees(w, trees...) },
			func(r io.Reader) error { return s.Put(ctx, svc.Name, "/", r) })
	})
	switch {
	case err == nil:
		return nil
	case Passing(err) || ctx.Err() != nil:
		return fmt.Errorf("service %s: %w", svc.Name, err)
	}
	return &DeadError{Service: svc.Name, Why: "not_started", Cause: err}
}
