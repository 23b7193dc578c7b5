package main

import (
	"fmt"

	"github.com/docker/go-units"
)

// size is a flag for a number of bytes, with or without a unit: 500000000, 500MB, 1.5GiB. All units are powers of 1024.
type size int64

// String implements pflag.Value.
func (s *size) String() string {
	if *s == 0 {
		return "0"
	}
	return units.BytesSize(float64(*s))
}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	n, err := units.RAMInBytes(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no size; write bytes, or a number with KiB, MiB, GiB or TiB", text)
	}
	*s = size(n)
	return nil
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }
