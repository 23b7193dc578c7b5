package spec

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/schema"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// Place is where something is declared.
type Place struct {
	File string
	Line int
	Key  string
}

// Protocol is how a server is spoken to.
type Protocol string

// The protocols.
const (
	MCP  Protocol = "mcp"
	HTTP Protocol = "http"
)

// Server is one declared server.
type Server struct {
	Place
	Name string
	// Title, Version and Instructions are what the server says of itself over MCP.
	Title, Version, Instructions string
	Protocols                    []Protocol
	// Codec is how answers are written.
	Codec  format.Codec
	Errors Errors
	// Entities, Tools and Routes are sorted: by name, by name, and by path and method.
	Entities []*Entity
	Tools    []*Tool
	Routes   []Route

	scenarios map[string]*Scenario
	handlers  script.Handlers
	reads     []declared // the names in the list of reading tools
	writes    []declared // the names in the write map
}

// declared is a name that refers to something, and where it stands.
type declared struct {
	Place
	name string
}

// Errors is how the real server refuses arguments and reports failures.
type Errors struct {
	// ProtocolError makes wrong arguments a JSON-RPC error -32602 over MCP; otherwise they are a tool's error.
	ProtocolError bool
	// Arguments is the text for wrong arguments, over the names tool and reason.
	Arguments *script.Template
	// Status is the HTTP status for wrong arguments.
	Status int
	// Body is the HTTP body of failures, over the names message, code and status; nil for {"error": message}.
	Body *script.Expr
}

// IDStyle is how generated ids look behind their prefix.
type IDStyle string

// The styles of ids.
const (
	Alnum   IDStyle = "alnum"   // digits and small letters
	Hex     IDStyle = "hex"     // digits and a to f
	Digits  IDStyle = "digits"  // digits, the first not 0
	UUID    IDStyle = "uuid"    // a UUID of version 4
	Counter IDStyle = "counter" // 1, 2, 3, after the largest that is seeded
)

// Entity is a kind of thing that a server keeps.
type Entity struct {
	Place
	Name string
	// ID is the field that tells rows apart.
	ID string
	// Outbound marks effects that leave the system, such as a mail.
	Outbound bool
	Prefix   string
	Style    IDStyle
	Length   int
	// Integer makes ids numbers; for counters without a prefix.
	Integer bool
	Pattern *regexp.Regexp
	// Schema is what rows have to fit; nil takes all.
	Schema *schema.Schema
	// Known are the fields that the schema names.
	Known map[string]bool
	// Defaults fill what a new row lacks, over the names args, db and ctx.
	Defaults []Field
}

// Field is a field and the expression of its value.
type Field struct {
	Name string
	Expr *script.Expr
}

// Tool is one tool of a server, or one operation of its HTTP interface.
type Tool struct {
	Place
	Name, Title, Description string
	// Input, Output and Annotations are JSON as declared; Output and Annotations are nil when they are not.
	Input, Output, Annotations json.RawMessage
	// Writes are the entities that the tool writes, outbound ones too, sorted.
	Writes []string
	// Reads says that the tool is declared to write nothing.
	Reads bool
	// Status is the HTTP status of an answer.
	Status int

	InputSchema, OutputSchema *schema.Schema
	// Known are the arguments that the input schema names.
	Known map[string]bool
	// Defaults are those that the input schema states for arguments.
	Defaults map[string]any
	// Codec is that of the server, unless the tool has its own.
	Codec format.Codec
	// Steps, Answer and Text are the declared behaviour; Handler is set instead of them.
	Steps   []*Step
	Answer  *script.Expr
	Text    *script.Template
	Handler *Handler
	// Names are what Answer and Text can use: args, db, ctx and the names of steps.
	Names []string

	inContract bool
	behaves    bool // something is said of what it does, right or wrong
	route      string
}

// Declared reports whether the tool is in the write map or in the list of tools that read.
func (t *Tool) Declared() bool { return t.Reads || len(t.Writes) > 0 }

// Write reports whether a call of the tool counts as a write. A tool of which nothing is said does.
func (t *Tool) Write() bool { return !t.Reads }

// Speaks reports whether the server is spoken to by p.
func (s *Server) Speaks(p Protocol) bool {
	return slices.Contains(s.Protocols, p)
}

// Tool gives the tool called name.
func (s *Server) Tool(name string) (*Tool, bool) {
	for _, t := range s.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

// Entity gives the entity called name.
func (s *Server) Entity(name string) (*Entity, bool) {
	for _, e := range s.Entities {
		if e.Name == name {
			return e, true
		}
	}
	return nil, false
}
