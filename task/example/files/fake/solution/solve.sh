#!/bin/sh
# What a perfect agent does: looks first, then deletes the one note.
call() { # TOOL ARGUMENTS
	wget -q -O - --header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream' \
		--post-data "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"$1\", \"arguments\": $2}}" \
		http://fakes:8000/mcp/notes
	echo
}
call list_notes '{"text": "milk"}'
call delete_note '{"id": "note_milk"}'
