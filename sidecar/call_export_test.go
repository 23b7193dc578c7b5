package sidecar

import "time"

// CallPolicy says how a request is treated: how long the engine may be silent, whether it is made again, whether its answer is handed on as it comes.
func CallPolicy(method, path string) (limit time.Duration, again, stream bool) {
	c := callOf(method, path)
	return c.limit, c.again, c.stream
}

// StreamLost says of a helper's exit code that it was the stream to it that was lost.
func StreamLost(code int) bool { return streamLost(code) }
