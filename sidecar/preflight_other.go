//go:build !linux && !darwin

package sidecar

import "errors"

// statFree is not known here.
func statFree(string) (int64, error) { return 0, errors.ErrUnsupported }
