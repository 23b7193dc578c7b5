package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// asUser decides how a command in the agent's container gets its user. Normally the helper runs as root and switches, so that it can end whatever
// the command starts. Where the compose file takes from root the right to switch users, the engine starts the helper as that user.
func (s *site) asUser(c *sidecar.Command) {
	main := sidecar.Find(s.spec, stack.Main)
	facts := s.images[stack.Main]
	user := s.commandUser(c.Spec.User)
	_, set := c.Env["HOME"]
	_, inStack := main.Env["HOME"]
	c.Spec.User, c.Spec.SetHome = user, !set && !inStack && !facts.home
	if !isRoot(user) && cannotSwitch(main) {
		c.AsUser, c.Spec.User, c.Spec.SetHome = user, "", false
	}
}

// commandUser is the user of a command in the agent's container: its own, else the compose file's, else the image's; empty = root.
func (s *site) commandUser(user string) string {
	return cmp.Or(user, sidecar.Find(s.spec, stack.Main).User, s.images[stack.Main].user)
}

func isRoot(user string) bool { return user == "" || user == "0" || user == "root" }

// prepareFirst does a command's preparations as root when the command's helper itself will not be root.
func (s *site) prepareFirst(ctx context.Context, c *sidecar.Command) error {
	if c.AsUser == "" || len(c.Spec.Prepare) == 0 {
		return nil
	}
	prep := sidecar.Command{Service: c.Service, Spec: shim.Spec{Prepare: c.Spec.Prepare, LimitMS: 60_000}}
	for i := range prep.Spec.Prepare {
		if prep.Spec.Prepare[i].Own { // the user is not switched to here
			prep.Spec.Prepare[i].Own, prep.Spec.Prepare[i].Mode = false, 0o777
		}
	}
	c.Spec.Prepare = nil
	res, err := s.box.Run(ctx, prep)
	if err != nil {
		return err
	}
	if res.Start != nil {
		return fmt.Errorf("prepare the agent's container: %s", res.Start.Detail)
	}
	return nil
}

// cannotSwitch says whether root in the container lacks a capability that the helper needs (capabilities(7)).
func cannotSwitch(svc *stack.Service) bool {
	has := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(c string) bool {
			c = strings.TrimPrefix(strings.ToUpper(c), "CAP_")
			return c == name || c == "ALL"
		})
	}
	for _, need := range []string{"SETUID", "SETGID", "KILL"} {
		if has(svc.CapDrop, need) && !has(svc.CapAdd, need) {
			return true
		}
	}
	return false
}
