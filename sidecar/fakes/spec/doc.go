// Package spec reads what an eval author declares about fakes: a folder per server with a fake.toml or fake.yaml, and
// the contracts, schemas, seeds and handlers that it names.
//
// A fake.toml in full; every key but reads, writes and tools has a default:
//
//	name = "billing"                       # that of the folder
//	title = "Billing"
//	version = "2.1.0"                      # what the server calls its version
//	instructions = "..."                   # for MCP clients
//	protocols = ["mcp", "http"]            # ["mcp"]
//	handlers = "handlers.star"             # read without being named, if it is there
//	reads = ["get_invoice"]                # tools that write nothing
//
//	[writes]                               # the write map; outbound effects are entities too
//	refund = ["invoice", "refund", "mail"]
//
//	[contract]
//	tools = "tools.json"                   # the real server's answer to tools/list
//	openapi = "openapi.yaml"               # or OpenAPI 3: operations become tools and routes
//	operations = ["getInvoice"]            # some of them; all without this key
//
//	[answer]
//	format = "json"                        # prefixed_json, toon, text; a tool may have its own
//	prefix = "Result: "                    # of prefixed_json
//	indent = 0
//
//	[errors]
//	arguments = "tool_error"               # or protocol_error: how wrong arguments are refused over MCP
//	arguments_text = "Invalid arguments for {tool}: {reason}"
//	arguments_status = 400
//	body = "{'error': message}"            # the HTTP body of failures, over message, code and status
//
//	[entities.invoice]
//	id = "id"
//	prefix = "inv_"                        # of generated ids
//	ids = "alnum"                          # hex, digits, uuid, counter
//	length = 12
//	integer = false
//	pattern = "^inv_"
//	outbound = false                       # true: an effect that leaves the system
//	schema = "invoice.schema.json"         # or a table
//	defaults = {status = "'open'"}         # expressions
//
//	[tools.refund]
//	title, description, annotations, input, output
//	route = "POST /v1/refunds/{id}"
//	status = 200
//	answer = "{'id': refund.id}"           # an expression; without it, what the last step gave
//	text = "Refunded {refund.amount}."     # or a text with expressions in braces
//	handler = "refund"                     # or a function of the handlers; that of the tool's name by default
//
//	[[tools.refund.steps]]                 # all happen, or none
//	op = "get"                             # list, create, update, delete, require, let
//	entity = "invoice"
//	id = "args.invoice"
//	as = "invoice"                         # the name for later steps; the entity's by default, "rows" for lists
//	when = "args.amount > 0"               # skip the step otherwise
//	that = "args.amount <= invoice.limit"  # fail otherwise, with else
//	else = {text = "Over the limit", status = 422, code = "over_limit", rpc = -32000, is_error = true, body = "..."}
//	missing = "No invoice {id}"            # or optional = true
//	from = "args"                          # create, update: fields taken over; then
//	set = {status = "'paid'"}              # update can use row, the row as it was
//	add = {refunded = "args.amount"}
//	unique = ["name"]                      # with conflict = {...}
//	where = {status = "args.status", amount = {min = "args.min", max = "args.max"}}   # list; None does not filter
//	filter = "row.amount % 2 == 0"         # eq, ne, in, contains, prefix, min, max, above and below are comparisons
//	sort = ["-amount", "id"]
//	fields = ["id", "amount"]
//	limit, offset, page, cursor = "args.limit"
//	default_limit = 20
//	max_limit = 100                        # rows_total and rows_next are the count and the cursor of the next page
//	value = "args.amount * 2"              # let
//
//	[scenarios.over-limit]                 # or scenarios/over-limit.toml
//	extends = "plain"
//	seed = {invoice = "invoices.json", refund = []}
//	[[scenarios.over-limit.faults]]
//	tool = "refund"
//	kind = "error"                         # isError, delay, drop, malformed
//	nth = 2                                # from the second call on that match fits
//	match = {invoice = "inv_1"}
//	times = 1                              # or "always"
//	message, status, code, delay_ms
//	applied = false                        # true: carried out all the same
//
// Strings that stand for values are Starlark expressions over args, db, ctx and what earlier steps are called; other
// values stand for themselves. A handler is def tool(args, db, ctx). There, db has get(entity, id), exists, list(entity,
// field=value), count, insert(entity, fields), update(entity, id, fields) and delete; ctx has now(days=, hours=, minutes=,
// seconds=), new_id(entity), fail(message, status=, code=, rpc=, is_error=, body=), outbound(entity, fields) and
// respond(value, status=, headers=).
package spec
