package orchestrator

import (
	"strings"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// site is a stack in which commands of a trial run: the agent's, or a separate verifier's.
type site struct {
	*trial
	name   string // as the engine knows its stack
	spec   *stack.Spec
	images map[string]imageFacts // by service
	box    Sandbox               // nil before it is up
	folder string                // where commands run, as the plan says; empty = the image's
	env    map[string]string     // of every command in main
	gate   *GatePlan             // nil without a gateway
	policy string                // of the gate's, the one that holds
	logged bool                  // the gateway's log was fetched
}

// prefix stands before the names of the stack's services in the record; empty for the agent's stack.
func (s *site) prefix() string {
	if rest, ok := strings.CutPrefix(s.name, s.id+"-"); ok {
		return rest + "/"
	}
	return ""
}
