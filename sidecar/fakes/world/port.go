// Package world is a set of stateful fakes without a wire: declarations, entities, operations, a virtual clock, a journal
// and snapshots. The same calls in the same order give the same bytes.
package world

import "encoding/json"

// Call is one use of a fake by an agent, whatever protocol it came by.
type Call struct {
	Server string
	// Tool is the tool's name for MCP, or the operation id of a route for HTTP.
	Tool string
	// Arguments is a JSON object; for HTTP it holds path, query and body parameters merged as the declaration says.
	Arguments json.RawMessage
	// Protocol is "mcp/<revision>" or "http".
	Protocol string
	// Unmatched says that no tool or route matched; Tool then is what was asked for ("GET /v1/nothing").
	Unmatched bool
}

// Outcome is how a call came out.
type Outcome string

// The outcomes, as calls.jsonl has them.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeToolError Outcome = "tool_error" // the fake said no, as the real server would
	OutcomeRejected  Outcome = "rejected"   // the arguments broke the contract
	OutcomeUnmatched Outcome = "unmatched"  // there is no such tool or route
	OutcomeFault     Outcome = "fault"      // a scripted fault
	OutcomeFrozen    Outcome = "frozen"     // the world had been frozen
	OutcomeViolation Outcome = "violation"  // the fake itself broke its contract
)

// Answer is what goes back over the wire.
type Answer struct {
	Outcome Outcome
	// Text is the answer in the server's own format (json, prefixed_json, toon, text).
	Text string
	// Structured is the same as JSON where the contract has an output schema; nil otherwise.
	Structured json.RawMessage
	// Status is the HTTP status for HTTP servers; 0 for MCP.
	Status int
	// Headers are further HTTP headers.
	Headers map[string]string
	// Code and Message are a protocol error for MCP (JSON-RPC code), when Code is not 0.
	Code    int
	Message string
	// Fault tells the server to misbehave on the wire: "delay", "drop" or "malformed"; DelayMS goes with the first.
	Fault   string
	DelayMS int64
	// ToolError says that MCP's isError is set.
	ToolError bool
	// Seq is the number of the call, from 1; 0 for calls after the end. Write says that it counts as a write, Nearest what an
	// unmatched call probably meant.
	Seq     int64
	Write   bool
	Nearest string
}
