package spec

// Body is what becomes of a request's body.
type Body string

// What becomes of a body.
const (
	BodyNone  Body = ""      // it is not read
	BodyMerge Body = "merge" // the members of the JSON object are arguments
	BodyWhole Body = "whole" // all of it is the argument "body"
)

// Route is how a tool is called over HTTP.
type Route struct {
	Place
	// Method is in capitals. Path has parameters in braces, as in "/v1/invoices/{id}".
	Method, Path string
	// Tool is the name of the tool.
	Tool   string
	Params []Param
	Body   Body
}

// Param is an argument that does not come from the body.
type Param struct {
	// Name is that of the argument, Wire that on the wire.
	Name, Wire string
	// In is "path", "query" or "header".
	In string
	// Type is the JSON type that the text has to be read as, or empty; Items is that of the items of an array.
	Type, Items string
	// Explode says that an array repeats the parameter; otherwise commas separate its items.
	Explode bool
}
