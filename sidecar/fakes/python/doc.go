// Package python holds seatrial_fakes.py, a module of one file for verifiers that are written in Python: it reads the
// evidence of fakes and says the same as package evidence.
package python

import _ "embed"

// Module is the text of seatrial_fakes.py. It needs Python 3.8 or later and nothing else.
//
//go:embed seatrial_fakes.py
var Module []byte
