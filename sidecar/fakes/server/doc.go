// Package server is the wire of the fakes: it serves a world to an agent over MCP and plain HTTP on a TCP port, and to
// seatrial over a unix socket that no network reaches.
//
// The agent's plane has three kinds of paths: /mcp/<server> (streamable HTTP), /http/<server>/... and /healthz. Everything
// that an answer says comes from the world; this package adds only what a wire adds: framing, limits and scripted faults.
package server
