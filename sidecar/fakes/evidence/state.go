package evidence

import (
	"errors"
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// Initial gives the state before the first call.
func (e *Evidence) Initial() (State, error) { return e.state(InitialFile) }

// Final gives the last state.
func (e *Evidence) Final() (State, error) { return e.state(FinalFile) }

// Step gives the state at the end of a step. The error is an *UnknownError when there was no such step.
func (e *Evidence) Step(name string) (State, error) {
	if slices.Contains(e.Done.Steps, name) {
		return e.state(stepFile(name))
	}
	return nil, &UnknownError{What: "step", Name: name, Known: e.Done.Steps}
}

func (e *Evidence) state(name string) (State, error) {
	data, err := e.read(name)
	if err != nil {
		return nil, err
	}
	v, err := format.Parse(data)
	if err != nil {
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	state, ok := toState(v)
	if !ok {
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: errors.New("it is no state of fakes")}
	}
	return state, nil
}

func toState(v any) (State, bool) {
	servers, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	state := State{}
	for server, v := range servers {
		entities, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		state[server] = map[string]map[string]map[string]any{}
		for entity, v := range entities {
			ids, ok := v.(map[string]any)
			if !ok {
				return nil, false
			}
			rows := map[string]map[string]any{}
			for id, v := range ids {
				if rows[id], ok = v.(map[string]any); !ok {
					return nil, false
				}
			}
			state[server][entity] = rows
		}
	}
	return state, true
}
