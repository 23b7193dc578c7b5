package task

import "fmt"

// Opt is a value that a file may leave out. The zero value is one that was left out.
type Opt[T any] struct {
	Set   bool
	Value T
}

// Or returns the value, or other when it was left out.
func (o Opt[T]) Or(other T) T {
	if o.Set {
		return o.Value
	}
	return other
}

// String returns the value as fmt prints it, or "unset".
func (o Opt[T]) String() string {
	if !o.Set {
		return "unset"
	}
	return fmt.Sprint(o.Value)
}
