package spec

import (
	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// Op is what a step does.
type Op string

// The operations.
const (
	Get     Op = "get"     // one row by id
	ListOp  Op = "list"    // rows by filters
	Create  Op = "create"  // a new row
	Update  Op = "update"  // fields of a row by id
	Delete  Op = "delete"  // a row by id
	Require Op = "require" // nothing but its condition
	Let     Op = "let"     // a name for a value
)

// Step is one operation of a tool. All steps of a call happen, or none.
type Step struct {
	Place
	Op     Op
	Entity string
	// As is the name that later steps know the result by, if any; Slots are its place among the tool's names and, for a
	// list, those of the number of rows on all pages and of the next cursor.
	As    string
	Slots []int
	// When skips the step unless it is true.
	When *script.Expr
	// That is a condition, checked before anything is done; Else is the failure when it is not met.
	That *script.Expr
	Else *Failure
	// ID is the id for get, update and delete; for create it may set the id.
	ID *script.Expr
	// Missing is the failure when there is no such row; Optional makes the result None instead.
	Missing  *Failure
	Optional bool
	// From is an object whose fields are taken over, without those that are None; then come Set and Add.
	From *script.Expr
	Set  []Field
	Add  []Field
	// Unique are fields whose value no other row may have; Conflict is the failure then, or when the id exists.
	Unique   []string
	Conflict *Failure
	// Value is what let names.
	Value *script.Expr

	List
}

// List is how a list step chooses rows.
type List struct {
	Where  []Filter
	Filter *script.Expr // over the names of the tool and row
	Sort   []Sorting
	Fields []string
	// Limit, Offset, Page and Cursor are None when the caller did not say.
	Limit, Offset, Page, Cursor *script.Expr
	DefaultLimit, MaxLimit      int
}

// Filter compares a field with a value. A value of None does not filter.
type Filter struct {
	Field string // may be a path with dots
	Op    string // eq, ne, in, contains, prefix, min, max, above, below
	Expr  *script.Expr
}

// Sorting is a field that a list is sorted by.
type Sorting struct {
	Field      string
	Descending bool
}

// Failure is an answer by which the real server says no.
type Failure struct {
	Text *script.Template
	// Status is the HTTP status.
	Status int
	// Code is a code of the server's own, such as "not_found", or empty.
	Code string
	// RPC makes it a JSON-RPC error of this code over MCP, when not 0.
	RPC int
	// Unflagged leaves isError away over MCP.
	Unflagged bool
	// Body is the HTTP body, or nil for the server's own shape of errors.
	Body *script.Expr
}

// Handler is a function of the handler file.
type Handler struct {
	Name string
	Fn   *starlark.Function
}

// Scenario is the world that a case starts in.
type Scenario struct {
	Place
	Name string
	// Extends names another scenario of the server whose seeds hold unless this one has its own, or is empty.
	Extends string
	// Seed holds rows by entity, in order.
	Seed   map[string][]Row
	Faults []Fault

	seeded map[string]Place // where each entity is seeded
}

// Row is a row of a seed.
type Row struct {
	Place
	Fields map[string]any
}

// FaultKind is how a call goes wrong by plan.
type FaultKind string

// The kinds of faults.
const (
	FaultError     FaultKind = "error"     // a JSON-RPC error, or an HTTP status
	FaultToolError FaultKind = "isError"   // a tool's own error
	FaultDelay     FaultKind = "delay"     // the answer comes late
	FaultDrop      FaultKind = "drop"      // the connection closes without an answer
	FaultMalformed FaultKind = "malformed" // the answer is cut off
)

// Fault is a rule by which calls go wrong.
type Fault struct {
	Place
	Tool string
	// Nth is the first call of the tool that is meant, from 1; 0 for any.
	Nth int
	// Match are arguments that a call has to have; nil for any.
	Match map[string]any
	// Times is how often the rule applies; 0 for always.
	Times   int
	Kind    FaultKind
	Message string
	Status  int
	Code    int
	DelayMS int64
	// Applied says that the call is carried out all the same, and only its answer goes wrong.
	Applied bool
}

// Scenario gives the scenario called name with what it extends taken in.
func (s *Server) Scenario(name string) (*Scenario, bool) {
	own, ok := s.scenarios[name]
	if !ok {
		return nil, false
	}
	full := &Scenario{Place: own.Place, Name: name, Faults: own.Faults, Seed: map[string][]Row{}, seeded: map[string]Place{}}
	seen := map[string]bool{}
	for sc := own; sc != nil && !seen[sc.Name]; sc = s.scenarios[sc.Extends] {
		seen[sc.Name] = true
		for entity, place := range sc.seeded {
			if _, later := full.seeded[entity]; !later {
				full.seeded[entity], full.Seed[entity] = place, sc.Seed[entity]
			}
		}
	}
	return full, true
}
