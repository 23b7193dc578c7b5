// Package archive carries folders into containers and out of them as tar streams, as the engine's archive calls take and
// give them. It talks to no engine. What comes out of a container is taken to be hostile: nothing is written outside the
// folder that the caller names, no link is created or followed, and every amount is bounded.
package archive
