// Package evidence is the folder of files in which a world of fakes tells what happened in it: written beside the fakes, read by
// verifiers and by the record of the trial.
package evidence

import "encoding/json"

// Version is that of the form of the files.
const Version = 1

// The names of the files. Snapshots of steps are called "step-" and the step's name.
const (
	ManifestFile   = "manifest.json"
	InitialFile    = "initial.json"
	FinalFile      = "final.json"
	CallsFile      = "calls.jsonl"
	OutboundFile   = "outbound.jsonl"
	ViolationsFile = "violations.jsonl"
	RefusedFile    = "refused.jsonl" // calls after the world was frozen
	DoneFile       = "done.json"
)

// State is what the servers hold: server, entity, id, row. Its values are those of package format and are never
// changed.
type State map[string]map[string]map[string]map[string]any

// Manifest says what was played.
type Manifest struct {
	Version int `json:"version"`
	// Tool is the version of the program, when it is known.
	Tool     string `json:"tool,omitempty"`
	Scenario string `json:"scenario"`
	Seed     int64  `json:"seed"`
	// Now is where the virtual clock started, in RFC 3339.
	Now     string            `json:"now"`
	Servers map[string]Server `json:"servers"`
}

// Server is a server in the manifest.
type Server struct {
	Protocols []string `json:"protocols"`
	// Contract is the SHA-256 of the tools, their schemas and formats, as hexadecimal digits.
	Contract string            `json:"contract"`
	Entities map[string]Entity `json:"entities"`
	Tools    map[string]Tool   `json:"tools"`
	// Writes is the write map: the entities that each tool writes. Reads are the tools that are declared to write nothing.
	Writes map[string][]string `json:"writes"`
	Reads  []string            `json:"reads"`
	Routes []string            `json:"routes,omitempty"`
}

// Entity is an entity in the manifest.
type Entity struct {
	ID       string `json:"id"`
	Outbound bool   `json:"outbound,omitempty"`
}

// Tool is a tool in the manifest.
type Tool struct {
	// Write says that a call counts as a write.
	Write  bool            `json:"write"`
	Format string          `json:"format"`
	Prefix string          `json:"prefix,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
}

// CallLine is one call.
type CallLine struct {
	Seq int64 `json:"seq"`
	// Step counts the steps of the trial from 1.
	Step     int    `json:"step"`
	Server   string `json:"server"`
	Protocol string `json:"protocol"`
	Tool     string `json:"tool"`
	// Arguments are null when they were no JSON, or too large to keep; ArgumentsText has the start of them then.
	Arguments     json.RawMessage `json:"arguments"`
	ArgumentsText string          `json:"arguments_text,omitempty"`
	// Outcome is ok, tool_error, rejected, unmatched, fault, frozen or violation.
	Outcome string `json:"outcome"`
	// Write says that the call was to a tool that writes, whether it succeeded or not.
	Write bool `json:"write"`
	// Entities are those that the call read or wrote; Changes what it changed.
	Entities []string `json:"entities"`
	Changes  []Touch  `json:"changes,omitempty"`
	// Fault is the kind of a scripted fault; Applied that the call was carried out even so.
	Fault   string `json:"fault,omitempty"`
	Applied bool   `json:"applied,omitempty"`
	// Nearest is the tool or route that is most like an unmatched one.
	Nearest string `json:"nearest,omitempty"`
	Status  int    `json:"status,omitempty"`
	// AnswerSHA256 is that of the whole answer; Answer is cut off after 64 KiB, and AnswerCut says so.
	AnswerSHA256 string `json:"answer_sha256"`
	Answer       string `json:"answer"`
	AnswerCut    bool   `json:"answer_cut,omitempty"`
	// Time is the virtual time, in RFC 3339 with milliseconds.
	Time string `json:"time"`
}

// Touch is a row that a call changed.
type Touch struct {
	Entity string `json:"entity"`
	ID     string `json:"id"`
	// Op is create, update or delete.
	Op string `json:"op"`
}

// OutboundLine is an effect that left the system.
type OutboundLine struct {
	Seq    int64          `json:"seq"`
	Server string         `json:"server"`
	Entity string         `json:"entity"`
	ID     string         `json:"id"`
	Fields map[string]any `json:"fields"`
	Time   string         `json:"time"`
}

// ViolationLine is a breach of its contract by a fake: the measurement is invalid then.
type ViolationLine struct {
	Seq     int64  `json:"seq"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Time    string `json:"time"`
}

// Done closes the evidence: without it, or when it does not fit, there is none.
type Done struct {
	Version    int   `json:"version"`
	Calls      int64 `json:"calls"`
	Outbound   int64 `json:"outbound"`
	Violations int64 `json:"violations"`
	Refused    int64 `json:"refused"`
	// Steps are the names of the steps, in order.
	Steps []string `json:"steps"`
	// Files are the SHA-256 of all other files, as hexadecimal digits.
	Files map[string]string `json:"files"`
}
