package sidecar

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// KeptStack is a kept stack that somebody enters.
type KeptStack struct {
	eng        *Engine
	containers map[string]Object // by service
}

// Reopen finds a stack that was kept on purpose, by its run and trial. The error is a *NotKeptError if there is none.
func (e *Engine) Reopen(ctx context.Context, run, trial string) (*KeptStack, error) {
	all, err := e.List(ctx, Selector{Run: run, Trial: trial})
	if err != nil {
		return nil, err
	}
	if _, ok := keptTrials(all)[trial]; !ok {
		return nil, &NotKeptError{Trial: trial, Host: e.host.Address, There: len(all) > 0}
	}
	return &KeptStack{eng: e, containers: containersOf(all, trial)}, nil
}

// Services are those that have a container.
func (k *KeptStack) Services() []string { return slices.Sorted(maps.Keys(k.containers)) }

// Unpause lets the stack go on. Its networks and volumes are as they were; connections may have been given up by the other side.
func (k *KeptStack) Unpause(ctx context.Context) error {
	var t tear
	for service, c := range k.containers {
		t.add(k.eng.unpauseOne(ctx, service, c.ID))
	}
	return t.join()
}

// Pause freezes the stack again.
func (k *KeptStack) Pause(ctx context.Context) error {
	var t tear
	for service, c := range k.containers {
		t.add(k.eng.pauseOne(ctx, service, c.ID))
	}
	return t.join()
}

// Busy says whether somebody's command runs in the stack.
func (k *KeptStack) Busy(ctx context.Context) bool { return k.eng.visitors(ctx, k.containers) }

// Visit is Stack.Visit in a kept stack.
func (k *KeptStack) Visit(ctx context.Context, service string, v Visit) (int, error) {
	c, ok := k.containers[service]
	if !ok {
		return 0, fmt.Errorf("%w: %s", errNoStack, service)
	}
	return k.eng.visit(ctx, service, c.ID, v)
}
