package images

import "io"

// Request says what to build. The limit of a build is the context's.
type Request struct {
	Context    string            // folder on the host
	Dockerfile string            // path, relative to Context or absolute; empty: Dockerfile
	Inline     string            // the Dockerfile's text itself, in place of a file
	Target     string            // stage to build; empty: the last
	Exclude    []string          // patterns of .dockerignore's form that are left out besides those of the file
	Args       map[string]string // build arguments; they end up in the image's history
	Network    string            // of the steps: "none", "host" (the engine's own), or empty for the engine's default
	Platform   string            // as linux/amd64; empty: the engine's own
	Labels     map[string]string // more labels for the image
	Name       string            // a hint for the tag
	// Pins puts other images in the place of base images: the reference that the Dockerfile has for one, and that of the image to use. They are part of what is built from.
	Pins     map[string]string
	Force    bool        // build even if the image is there, without the engine's build cache
	Log      io.Writer   // plain build log; nil for none
	Progress func(Event) // called from one goroutine at a time; nil for none
}
