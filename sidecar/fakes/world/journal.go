package world

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

// Journal is where a world writes what happens, a line of JSON in one Write each. Nil writers drop their lines.
type Journal struct {
	Calls      io.Writer
	Outbound   io.Writer
	Violations io.Writer
	// Refused gets the calls after the end.
	Refused io.Writer
}

const (
	maxAnswer  = 64 << 10 // bytes of an answer that are kept
	maxChanges = 100      // changes of one call that are kept
)

// call writes the line of a call.
func (w *World) call(line *evidence.CallLine, a Answer) {
	text := a.Text
	if a.Code != 0 {
		text = a.Message
	}
	sum := sha256.Sum256([]byte(text))
	line.AnswerSHA256 = hex.EncodeToString(sum[:])
	line.Answer = text
	if len(text) > maxAnswer {
		line.Answer, line.AnswerCut = strings.ToValidUTF8(text[:maxAnswer], ""), true
	}
	if len(line.Changes) > maxChanges {
		line.Changes = line.Changes[:maxChanges]
	}
	line.Tool, line.Server = cut(line.Tool, 1<<10), cut(line.Server, 1<<10)
	w.write(w.journal.Calls, line)
}

// refuse answers a call after the end.
func (w *World) refuse(c Call) Answer {
	w.status.Refused++
	a := say(nil, c, OutcomeFrozen, &failure{text: "the world has ended", status: 503, rpc: -32000, code: "frozen"})
	line := &evidence.CallLine{
		Seq: w.status.Refused, Step: w.status.Step, Server: c.Server, Protocol: c.Protocol, Tool: c.Tool,
		Outcome: string(OutcomeFrozen), Entities: []string{}, Status: a.Status, Time: stamp(w.clock()),
	}
	_, _ = arguments(c.Arguments, line)
	if s, ok := w.servers[c.Server]; ok {
		if t, ok := s.tools[c.Tool]; ok {
			line.Write = t.Write()
		}
	}
	a.Write = line.Write
	journal := w.journal.Calls
	w.journal.Calls = w.journal.Refused
	w.call(line, a)
	w.journal.Calls = journal
	return a
}

// send writes the effects that a call sent out of the system.
func (w *World) send(call *evidence.CallLine, sent []evidence.OutboundLine) {
	for _, line := range sent {
		line.Seq, line.Time = call.Seq, call.Time
		w.status.Outbound++
		w.write(w.journal.Outbound, line)
	}
}

// breach writes a violation.
func (w *World) breach(call *evidence.CallLine, err error) {
	line := evidence.ViolationLine{
		Seq: call.Seq, Server: call.Server, Tool: call.Tool, Kind: string(Program), Message: cut(err.Error(), 4<<10), Time: call.Time,
	}
	var v *violation
	if errors.As(err, &v) {
		line.Kind = string(v.kind)
	}
	w.status.Violations++
	w.write(w.journal.Violations, line)
}

func (w *World) write(to io.Writer, line any) {
	if to == nil || w.err != nil {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(line)
	if err == nil {
		_, err = to.Write(b.Bytes())
	}
	if err != nil {
		w.err = fmt.Errorf("writing the journal of the fakes: %w", err)
	}
}
