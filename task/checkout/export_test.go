package checkout

// Measure is measure, for tests.
func Measure(path string) error { return measure(path) }
