package orchestrator_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// attic is an engine with kept stacks, by their names. It notes what is done.
type attic struct {
	kept map[string][]string // services
	busy bool
	code int
	err  error // of the command
	did  []string
	last sidecar.Visit
	end  func() // called in the command
}

func (a *attic) Reopen(_ context.Context, run, trial string) (orchestrator.KeptStack, error) {
	if a.kept[trial] == nil || run != "r1" {
		return nil, &sidecar.NotKeptError{Trial: trial, Host: "unix:///s"}
	}
	a.did = append(a.did, trial)
	return &room{attic: a, services: a.kept[trial]}, nil
}

type room struct {
	*attic
	services []string
}

func (r *room) Services() []string { return slices.Clone(r.services) }

func (r *room) note(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		what += " with a context that has ended"
	}
	r.did = append(r.did, what)
	return nil
}

func (r *room) Unpause(ctx context.Context) error { return r.note(ctx, "unpause") }
func (r *room) Pause(ctx context.Context) error   { return r.note(ctx, "pause") }
func (r *room) Busy(context.Context) bool         { return r.busy }

func (r *room) Visit(ctx context.Context, service string, v sidecar.Visit) (int, error) {
	r.last = v
	if r.end != nil {
		r.end()
	}
	return r.code, errors.Join(r.err, r.note(ctx, "run in "+service))
}

// keptPlace is the record of a trial that was kept.
func keptPlace() *orchestrator.TrialPlace {
	until := time.Date(2026, 1, 4, 10, 0, 0, 0, time.UTC)
	return &orchestrator.TrialPlace{Run: "/runs/r1", Name: "hello", Record: &orchestrator.TrialRecord{RunID: "r1", TrialID: "hello-1a2b3c4d", Kept: true, KeptUntil: &until,
		Containers: map[string]string{"main": "c1", "web": "c2", "verifier/main": "c3"}}}
}

func TestEnter(t *testing.T) {
	both := map[string][]string{"hello-1a2b3c4d": {"main", "web"}, "hello-1a2b3c4d-verifier": {"main"}}
	for _, c := range []struct {
		name  string
		attic attic
		q     orchestrator.EnterRequest
		code  int
		did   []string
		wrong string
		told  string
	}{
		{"a command runs, and the stack is frozen again", attic{kept: both}, orchestrator.EnterRequest{}, 0, []string{"hello-1a2b3c4d", "unpause", "run in main", "pause"}, "", ""},
		{"a command's exit code is the answer", attic{kept: both, code: 42}, orchestrator.EnterRequest{Service: "web"}, 42, []string{"hello-1a2b3c4d", "unpause", "run in web", "pause"}, "", ""},
		{"the tests' own stack", attic{kept: both}, orchestrator.EnterRequest{Service: "verifier/main"}, 0, []string{"hello-1a2b3c4d-verifier", "unpause", "run in main", "pause"}, "", ""},
		{"the stack is left running on demand", attic{kept: both}, orchestrator.EnterRequest{LeaveRunning: true}, 0, []string{"hello-1a2b3c4d", "unpause", "run in main"}, "", "left running"},
		{"the last one out freezes it", attic{kept: both, busy: true}, orchestrator.EnterRequest{}, 0, []string{"hello-1a2b3c4d", "unpause", "run in main"}, "", "another command still runs"},
		{"a command that is lost", attic{kept: both, err: engineGone()}, orchestrator.EnterRequest{}, 0, []string{"hello-1a2b3c4d", "unpause", "run in main", "pause"}, "connection refused", ""},
		{"a service that is misspelt", attic{kept: both}, orchestrator.EnterRequest{Service: "wbe"}, 0, []string{"hello-1a2b3c4d"}, "did you mean web?", ""},
		{"a service of the tests that is not there", attic{kept: both}, orchestrator.EnterRequest{Service: "verifier/web"}, 0, []string{"hello-1a2b3c4d-verifier"}, "verifier/main", ""},
		{"a stack that there never was", attic{kept: both}, orchestrator.EnterRequest{Service: "verifeir/main"}, 0, nil, "did you mean verifier/main?", ""},
		{"what is gone", attic{}, orchestrator.EnterRequest{}, 0, nil, "it was kept until 2026-01-04 10:00:00 UTC, and has been removed or is on another engine. `seatrial repro /runs/r1/trials/hello --keep always`", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			c.q.Place, c.q.In, c.q.Command = keptPlace(), strings.NewReader(""), []string{"ls", "-l"}
			c.q.Tell = func(s string) { told = append(told, s) }
			code, err := orchestrator.Enter(t.Context(), &c.attic, &c.q)
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) || code != c.code {
				t.Errorf("code %d, error %v", code, err)
			}
			if diff := cmp.Diff(c.did, c.attic.did); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if text := strings.Join(told, "\n"); !strings.Contains(text, c.told) || c.told == "" && text != "" {
				t.Errorf("told %q", text)
			}
		})
	}
}

func TestWhatWasNeverKeptIsSaidSo(t *testing.T) {
	p := keptPlace()
	p.Record.Kept, p.Record.KeptUntil = false, nil
	_, err := orchestrator.Enter(t.Context(), &attic{}, &orchestrator.EnterRequest{Place: p})
	var gone *orchestrator.GoneError
	if !errors.As(err, &gone) || !strings.Contains(err.Error(), "run without --keep") || orchestrator.ExitCodeOf(t.Context(), err) != orchestrator.ExitUsage {
		t.Errorf("error %v", err)
	}
}

func TestAnInterruptedCommandLeavesTheStackFrozen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := &attic{kept: map[string][]string{"hello-1a2b3c4d": {"main"}}, busy: true, end: cancel}
	_, err := orchestrator.Enter(ctx, a, &orchestrator.EnterRequest{Place: keptPlace(), In: strings.NewReader(""), Tell: func(string) {}})
	if err != nil || a.did[len(a.did)-1] != "pause" {
		t.Errorf("%q, error %v", a.did, err)
	}
}

func TestAShellGetsTheTerminal(t *testing.T) {
	a, who := &attic{kept: map[string][]string{"hello-1a2b3c4d": {"main"}}}, &person{}
	_, err := orchestrator.Enter(t.Context(), a, &orchestrator.EnterRequest{Place: keptPlace(), Terminal: who, Kind: "xterm", User: "root", Tell: func(string) {}})
	if err != nil || who.lent != 1 || a.last.Screen == nil || a.last.Env["TERM"] != "xterm" || a.last.User != "root" || a.last.Argv[0] != "sh" {
		t.Errorf("%+v, error %v", a.last, err)
	}
	var out bytes.Buffer
	_, err = orchestrator.Enter(t.Context(), a, &orchestrator.EnterRequest{Place: keptPlace(), Command: []string{"id"}, In: strings.NewReader(""), Out: &out, Tell: func(string) {}})
	if err != nil || a.last.Screen != nil || a.last.Out != &out || a.last.Argv[0] != "id" {
		t.Errorf("%+v, error %v", a.last, err)
	}
}
