//go:build !unix

package terminal

import (
	"os"
	"time"
)

// readable leaves the waiting to the read itself.
func readable(*os.File, time.Duration) (bool, error) { return true, nil }

// resized never hears of anything.
func resized() (changed <-chan os.Signal, stop func()) { return nil, func() {} }
