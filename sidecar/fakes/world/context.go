package world

import (
	"errors"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// surroundings is what programs call ctx.
type surroundings struct{ x *tx }

func (c *surroundings) String() string        { return "ctx" }
func (c *surroundings) Type() string          { return "ctx" }
func (c *surroundings) Freeze()               {}
func (c *surroundings) Truth() starlark.Bool  { return true }
func (c *surroundings) Hash() (uint32, error) { return 0, errors.New("unhashable: ctx") }

func (c *surroundings) AttrNames() []string {
	return []string{"fail", "new_id", "now", "outbound", "respond"}
}

// Attr gives the functions: now, new_id, fail, outbound and respond.
func (c *surroundings) Attr(name string) (starlark.Value, error) {
	if !slices.Contains(c.AttrNames(), name) {
		return nil, nil
	}
	call := map[string]func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
		"now": c.now, "new_id": c.newID, "fail": c.fail, "outbound": c.outbound, "respond": c.respond,
	}[name]
	return starlark.NewBuiltin("ctx."+name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return call(args, kwargs)
	}), nil
}

// now gives the virtual time as RFC 3339 with milliseconds; now(days=3, seconds=-5) is moved by that.
func (c *surroundings) now(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var days, hours, minutes, seconds int
	if err := starlark.UnpackArgs("ctx.now", args, kwargs, "days?", &days, "hours?", &hours, "minutes?", &minutes, "seconds?", &seconds); err != nil {
		return nil, err //nolint:wrapcheck // the message is for the author of the program
	}
	const most = 1_000_000_000
	for _, n := range []int{days, hours, minutes, seconds} {
		if n > most || n < -most {
			return nil, errors.New("ctx.now: too far away")
		}
	}
	at := c.x.w.clock().AddDate(0, 0, days)
	return starlark.String(stamp(addSeconds(at, hours*3600+minutes*60+seconds))), nil
}

// newID gives the id that a new row of the entity could have; inserting without an id does the same.
func (c *surroundings) newID(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var entity string
	if err := starlark.UnpackArgs("ctx.new_id", args, kwargs, "entity", &entity); err != nil {
		return nil, err //nolint:wrapcheck // the message is for the author of the program
	}
	t, err := c.x.table(entity)
	if err != nil {
		return nil, err
	}
	ordinal, last := t.ordinal, t.last
	c.x.undo = append(c.x.undo, func() { t.ordinal, t.last = ordinal, last })
	return script.Value(c.x.newID(t)), nil
}

// fail ends the call as the real server would: fail(message, status=, code=, rpc=, is_error=, body=).
func (c *surroundings) fail(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	no := &failure{status: 400}
	flagged := true
	var body starlark.Value
	if err := starlark.UnpackArgs("ctx.fail", args, kwargs, "message", &no.text, "status?", &no.status, "code?", &no.code,
		"rpc?", &no.rpc, "is_error?", &flagged, "body?", &body); err != nil {
		return nil, err //nolint:wrapcheck // the message is for the author of the program
	}
	if no.status < 400 || no.status > 599 {
		return nil, errors.New("ctx.fail: the status has to be from 400 to 599")
	}
	no.unflagged = !flagged
	if body != nil {
		var err error
		if no.body, err = script.Plain(body); err != nil {
			return nil, err
		}
		no.hasBody = true
	}
	return nil, no
}

// outbound records an effect that leaves the system: outbound(entity, fields).
func (c *surroundings) outbound(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return nil, errors.New("ctx.outbound: the entity is missing")
	}
	entity, _ := starlark.AsString(args[0])
	t, err := c.x.table(entity)
	if err != nil {
		return nil, err
	}
	if !t.entity.Outbound {
		return nil, errors.New("ctx.outbound: the entity " + entity + " is not declared as outbound")
	}
	return (&database{c.x}).insert(t, args[1:], kwargs)
}

// respond gives the answer together with an HTTP status and headers: return ctx.respond(value, status=201).
func (c *surroundings) respond(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var value starlark.Value
	status := 0
	var headers *starlark.Dict
	if err := starlark.UnpackArgs("ctx.respond", args, kwargs, "value", &value, "status?", &status, "headers?", &headers); err != nil {
		return nil, err //nolint:wrapcheck // the message is for the author of the program
	}
	if status != 0 && (status < 200 || status > 399) {
		return nil, errors.New("ctx.respond: the status has to be from 200 to 399")
	}
	c.x.status, c.x.headers = status, map[string]string{}
	if headers != nil {
		for _, item := range headers.Items() {
			name, _ := starlark.AsString(item[0])
			text, err := script.Text(item[1])
			if err != nil {
				return nil, err
			}
			c.x.headers[name] = text
		}
	}
	return value, nil
}
