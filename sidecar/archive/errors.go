package archive

import "fmt"

// LinkError says that a symbolic link in a tree to pack leads out of it.
type LinkError struct {
	Path   string // on the host
	Target string // the link's text
}

// Error names the link and says what to do.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link to %s, which is outside the folder: put a copy of the file there, or make the link relative and within the folder", e.Path, e.Target)
}

// KindError says that a tree to pack holds something that is not a file, folder or link.
type KindError struct {
	Path string // on the host
	Kind string // one of the Kind constants
}

// Error names the entry and says what to do.
func (e *KindError) Error() string {
	return fmt.Sprintf("%s is a %s, which cannot be copied into a container: remove it", e.Path, e.Kind)
}

// ChangedError says that a file changed while it was read.
type ChangedError struct {
	Path string // on the host
}

// Error names the file and says what to do.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed while it was being copied: run again when nothing writes to it", e.Path)
}

// StreamError says that an archive broke off or was malformed. What was read before it is kept.
type StreamError struct {
	Entry string // the entry being read, or the last one before the break; empty when there was none
	Err   error
}

// Error names the entry where the stream broke.
func (e *StreamError) Error() string {
	if e.Entry == "" {
		return fmt.Sprintf("the archive from the container broke off at its start: %v", e.Err)
	}
	return fmt.Sprintf("the archive from the container broke off at or after %q: %v", e.Entry, e.Err)
}

// Unwrap gives the cause.
func (e *StreamError) Unwrap() error { return e.Err }

// LimitError says that an archive was so large that reading it was given up.
type LimitError struct {
	Limit   int64 // bytes of the stream, or its entries
	Entries bool
}

// Error names the limit.
func (e *LimitError) Error() string {
	unit := "bytes"
	if e.Entries {
		unit = "entries"
	}
	return fmt.Sprintf("the archive from the container is longer than %d %s; what came before that is kept", e.Limit, unit)
}

// HostError says that the host could not write an entry; Err is the first such failure, Count how many there were.
type HostError struct {
	Entry string
	Count int
	Err   error
}

// Error names the entry and how many others failed.
func (e *HostError) Error() string {
	if e.Count > 1 {
		return fmt.Sprintf("write %q and %d more from the container: %v", e.Entry, e.Count-1, e.Err)
	}
	return fmt.Sprintf("write %q from the container: %v", e.Entry, e.Err)
}

// Unwrap gives the cause.
func (e *HostError) Unwrap() error { return e.Err }
