package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

const (
	contentType = "Content-Type"
	jsonType    = "application/json"

	invalidParams = -32602 // JSON-RPC 2.0, section 5.1
)

func overHTTP(c Call) bool { return c.Protocol == string(spec.HTTP) }

// success writes a value as the tool answers.
func (x *tx) success(c Call, v any) (Answer, error) {
	t := x.tool
	if reasons := t.OutputSchema.Check(v); reasons != nil {
		return Answer{}, broken(OutputSchema, "the answer of %s does not fit its schema: %s", t.Name, strings.Join(reasons, "; "))
	}
	codec := t.Codec
	if overHTTP(c) && codec.Format == format.PrefixedJSON {
		codec = format.Codec{Format: format.JSON, Indent: codec.Indent, Order: codec.Order}
	}
	text, err := codec.Encode(v)
	if err != nil {
		return Answer{}, &violation{kind: AnswerFormat, what: "the answer of " + t.Name, cause: err}
	}
	a := Answer{Outcome: OutcomeOK, Text: text}
	if t.Output != nil {
		one, err := format.Codec{Format: format.JSON, Order: codec.Order}.Encode(v)
		if err != nil {
			return Answer{}, &violation{kind: AnswerFormat, what: "the answer of " + t.Name, cause: err}
		}
		a.Structured = json.RawMessage(one)
	}
	if !overHTTP(c) {
		return a, nil
	}
	a.Status = t.Status
	if x.status != 0 {
		a.Status = x.status
	}
	a.Headers = map[string]string{contentType: mediaType(codec.Format)}
	maps.Copy(a.Headers, x.headers)
	if a.Status == 204 || a.Status == 304 {
		a.Text = ""
		delete(a.Headers, contentType)
	}
	return a, nil
}

func mediaType(f format.Format) string {
	switch f {
	case format.TOON:
		return "text/toon; charset=utf-8"
	case format.Text:
		return "text/plain; charset=utf-8"
	case format.JSON, format.PrefixedJSON:
	}
	return jsonType
}

// refusal is the answer of a server that says no.
func (x *tx) refusal(c Call, no *failure) Answer {
	return say(x.s, c, OutcomeToolError, no)
}

// say writes a failure for the protocol of the call.
func say(s *server, c Call, outcome Outcome, no *failure) Answer {
	a := Answer{Outcome: outcome}
	if !overHTTP(c) {
		if no.rpc != 0 {
			a.Code, a.Message = no.rpc, no.text
			return a
		}
		a.Text, a.ToolError = no.text, !no.unflagged
		return a
	}
	a.Status = no.status
	if a.Status == 0 {
		a.Status = 400
	}
	a.Headers = map[string]string{contentType: jsonType}
	a.Text = string(format.Canonical(body(s, no, a.Status)))
	return a
}

// body gives the HTTP body of a failure: its own, that of the server's shape, or {"error": message}.
func body(s *server, no *failure, status int) any {
	if no.hasBody {
		return no.body
	}
	if s != nil && s.spec.Errors.Body != nil {
		v, err := s.spec.Errors.Body.Eval(script.NewThread(), starlark.String(no.text), starlark.String(no.code), starlark.MakeInt(status))
		if err == nil {
			if p, err := script.Plain(v); err == nil {
				return p
			}
		}
	}
	plain := map[string]any{"error": no.text}
	if no.code != "" {
		plain["code"] = no.code
	}
	return plain
}

// rejected is the answer to arguments that do not fit, in the way of the real server.
func rejected(s *server, t *spec.Tool, c Call, reason string) Answer {
	e := s.spec.Errors
	text, err := e.Arguments.Eval(script.NewThread(), starlark.String(t.Name), starlark.String(reason))
	if err != nil {
		text = reason
	}
	no := &failure{text: text, status: e.Status, code: "invalid_arguments"}
	if e.ProtocolError {
		no.rpc = invalidParams
	}
	return say(s, c, OutcomeRejected, no)
}

// unmatched is the answer to a call of what does not exist.
func unmatched(c Call) Answer {
	if overHTTP(c) {
		return say(nil, c, OutcomeUnmatched, &failure{text: "Not Found", status: 404, code: "not_found"})
	}
	return say(nil, c, OutcomeUnmatched, &failure{text: "Unknown tool: " + cut(c.Tool, 200), rpc: invalidParams})
}

// internal is the answer when the fake itself failed.
func internal(c Call) Answer {
	return say(nil, c, OutcomeViolation, &failure{text: "Internal error", status: 500, code: "internal"})
}

// faulty is the answer to a call that a scripted fault meets before anything is done.
func faulty(s *server, c Call, f *spec.Fault) Answer {
	no := &failure{text: f.Message, status: f.Status, code: "fault"}
	switch f.Kind {
	case spec.FaultError:
		no.rpc = f.Code
	case spec.FaultDrop:
		a := say(s, c, OutcomeFault, no)
		a.Fault = string(spec.FaultDrop)
		return a
	case spec.FaultToolError, spec.FaultDelay, spec.FaultMalformed:
	}
	return say(s, c, OutcomeFault, no)
}

// spoilt is the answer a when a scripted fault meets the call after it was carried out.
func spoilt(a Answer, s *server, c Call, f *spec.Fault) Answer {
	if a.Outcome == OutcomeViolation {
		return a
	}
	switch f.Kind {
	case spec.FaultDelay:
		a.Fault, a.DelayMS = string(f.Kind), f.DelayMS
		return a
	case spec.FaultMalformed:
		a.Fault, a.Outcome = string(f.Kind), OutcomeFault
		return a
	case spec.FaultError, spec.FaultToolError, spec.FaultDrop:
	}
	return faulty(s, c, f)
}

// unfit says what in the arguments does not fit the input schema.
func unfit(t *spec.Tool, args map[string]any) string {
	return strings.Join(t.InputSchema.Check(any(args)), "; ")
}

// withDefaults adds the defaults of the input schema, as servers do that read arguments into a form.
func withDefaults(t *spec.Tool, args map[string]any) map[string]any {
	if len(t.Defaults) == 0 {
		return args
	}
	full := maps.Clone(t.Defaults)
	maps.Copy(full, args)
	return full
}

func cut(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "\ufffd") + fmt.Sprintf("... (%d bytes)", len(s))
}
