package images

// Labels that images made here carry.
const (
	CacheLabel  = "dev.seatrial.cache"  // "image" for task images
	DigestLabel = "dev.seatrial.digest" // what the image was built from, in full
)

// Store builds and pulls images on one engine. It may be used by many goroutines:
// equal requests at the same time share one build or pull.
type Store struct {
	engine Engine
	builds flight[Image]
	pulls  flight[Image]
}

// New returns a store on an engine.
func New(engine Engine) *Store { return &Store{engine: engine} }
