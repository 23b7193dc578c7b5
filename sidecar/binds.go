package sidecar

import (
	"context"
	"fmt"
	"os"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// ForeignFilesError says that what a container has in the place of a bound host folder is not what is there on this machine: the engine sees other files.
type ForeignFilesError struct{ Host, Source, Target string }

func (e *ForeignFilesError) Error() string {
	return fmt.Sprintf("the engine at %s does not see this machine's files: %s in the container is not %s; copy the files in the Dockerfile instead of binding them", e.Host, e.Target, e.Source)
}

// sameFiles compares each bind of a created container with this machine's file of that path. An engine in a virtual machine or a container may have another
// file of that name, or an empty folder that it has just made.
func (s *Stack) sameFiles(ctx context.Context, svc *stack.Service) error {
	for _, m := range svc.Mounts {
		if m.Type != stack.MountBind {
			continue
		}
		here, err := os.Stat(m.Source)
		if err != nil {
			return fmt.Errorf("bind %s: %w", m.Source, err)
		}
		if mode := here.Mode().Type(); mode&^os.ModeDir != 0 {
			continue // a socket or a device, which was asked for by name
		}
		there, err := s.eng.api.ContainerStatPath(ctx, s.ID(svc.Name), m.Target)
		if err != nil {
			return fmt.Errorf("look at %s: %w", m.Target, err)
		}
		same := there.Mode.IsDir() == here.IsDir() && there.Mtime.Unix() == here.ModTime().Unix() && (here.IsDir() || there.Size == here.Size())
		if !same {
			return &ForeignFilesError{Host: s.eng.host.Address, Source: m.Source, Target: m.Target}
		}
	}
	return nil
}
