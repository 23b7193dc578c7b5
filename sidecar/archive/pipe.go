package archive

import (
	"errors"
	"io"
	"sync"
)

// Pipe runs produce and consume side by side, what the one writes being what the other reads, and returns after both
// have ended. The first to fail ends the other; an error that only tells of the other's end is left out.
func Pipe(produce func(io.Writer) error, consume func(io.Reader) error) error {
	pr, pw := io.Pipe()
	var (
		wg      sync.WaitGroup
		written error
	)
	wg.Go(func() {
		written = produce(pw)
		pw.CloseWithError(written)
	})
	read := consume(pr)
	// A consumer may stop early and be content; the producer must not wait for it then.
	pr.CloseWithError(errConsumed)
	wg.Wait()
	if errors.Is(written, errConsumed) {
		written = nil
	}
	if written != nil && errors.Is(read, written) {
		return written
	}
	return errors.Join(written, read)
}

var errConsumed = errors.New("the reader has ended")
