package stack

import (
	"strconv"

	"github.com/compose-spec/compose-go/v2/types"
)

// bytes reads a size as compose writes it ("64m", "1gb", "1048576").
func (c *converter) bytes(text string, at Place) int64 {
	var size types.UnitBytes
	if err := size.DecodeMapstructure(text); err != nil || size <= 0 {
		c.invalid(at, text+" is not a size; write bytes or a number with b, k, m or g")
	}
	return int64(size)
}

// octal reads permission bits.
func (c *converter) octal(text string, at Place) uint32 {
	mode, err := strconv.ParseUint(text, 8, 12)
	if err != nil {
		c.invalid(at, text+" is not a mode; write up to four octal digits")
	}
	return uint32(mode)
}

// decimal gives the number that was written in the file, which the loader holds as a float32.
func decimal(f float32) float64 {
	exact, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return float64(f)
	}
	return exact
}
