package images

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// fan hands a log and events on to all who wait for one piece of work. Nobody
// who has left is written to any more.
type fan struct {
	mu   sync.Mutex
	ears []*ear
}

// ear is one who waits.
type ear struct {
	log      io.Writer
	progress func(Event)
}

func (f *fan) join(e *ear) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ears = append(f.ears, e)
}

func (f *fan) leave(e *ear) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ears = slices.DeleteFunc(f.ears, func(o *ear) bool { return o == e })
}

// Write implements io.Writer; a log that cannot be written does not stop a build.
func (f *fan) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.ears {
		if e.log != nil {
			_, _ = e.log.Write(p)
		}
	}
	return len(p), nil
}

func (f *fan) printf(format string, args ...any) { fmt.Fprintf(f, format, args...) }

func (f *fan) tell(ev Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.ears {
		if e.progress != nil {
			e.progress(ev)
		}
	}
}

func (f *fan) tellOne(e *ear, ev Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.progress != nil {
		e.progress(ev)
	}
}
