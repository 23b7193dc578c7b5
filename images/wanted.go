package images

import "io"

// PullPolicy says when a registry is asked for an image.
type PullPolicy string

// The policies, by compose's names.
const (
	PullMissing PullPolicy = "missing" // when the engine does not have it; the default
	PullAlways  PullPolicy = "always"  // each time
	PullNever   PullPolicy = "never"
)

// Wanted says which image to take.
type Wanted struct {
	Ref      string
	Platform string      // as linux/amd64; empty: whatever is there, else the engine's own
	Policy   PullPolicy  // empty: PullMissing
	Once     bool        // give up on a rate limit instead of waiting it out
	Log      io.Writer   // progress in plain lines; nil for none
	Progress func(Event) // called from one goroutine at a time; nil for none
}
