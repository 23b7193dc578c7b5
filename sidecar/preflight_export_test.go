package sidecar

import "time"

// WhyUnusable explains an error of the connection to an engine.
func WhyUnusable(h Host, err error) *UnusableError { return whyUnusable(h, err, time.Second, false) }

// CheckThere measures the disk of an engine's data.
func CheckThere(r Room, path string) error { return r.checkThere("the engine's data", path) }
