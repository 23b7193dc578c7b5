package report

import "strconv"

// Bytes is an amount of data for people.
func Bytes(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < unit*unit:
		return strconv.FormatInt(n/unit, 10) + " KiB"
	}
	return strconv.FormatInt(n/(unit*unit), 10) + " MiB"
}
