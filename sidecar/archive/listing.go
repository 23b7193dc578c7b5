package archive

// Listing is what an archive held and what became of it.
type Listing struct {
	Entries []Entry `json:"entries"`
	// Unlisted counts entries beyond Limits.Entries or Limits.Names. Nothing of them is written.
	Unlisted int `json:"unlisted,omitempty"`
	// Bytes and Files count what was written on the host.
	Bytes int64 `json:"bytes"`
	Files int   `json:"files"`
	// Captured holds one entry for each name of UnpackOptions.Capture that was in the archive.
	Captured map[string]Captured `json:"-"`
}

// Entry is one entry of an archive.
type Entry struct {
	// Name is the entry's own name, slash-separated; bytes that are not UTF-8 are replaced, and one longer than
	// Limits.Path is cut.
	Name string `json:"name"`
	// Path is where it was written, relative to the destination and slash-separated; empty when it was not.
	Path string `json:"path,omitempty"`
	// Kind is one of the Kind constants.
	Kind string `json:"kind"`
	// Size is the size in bytes that the archive states, Written how many bytes of it are on the host.
	Size    int64 `json:"size"`
	Written int64 `json:"written"`
	// Target is the text of a link.
	Target string `json:"target,omitempty"`
	// Renamed says that the last element of Path differs from Name's, as the host cannot hold that one.
	Renamed bool `json:"renamed,omitempty"`
	// Problem is one of the Problem constants, or empty when all of the entry is on the host.
	Problem string `json:"problem,omitempty"`
}

// The reasons for which an entry is not on the host, or not all of it.
const (
	ProblemKind      = "not_a_file"   // a link, device or the like, listed only
	ProblemEscapes   = "escapes"      // an absolute name, or one with ".." in it
	ProblemOutside   = "no_route"     // below none of UnpackOptions.Routes
	ProblemName      = "name"         // empty, too long or too deep
	ProblemDuplicate = "duplicate"    // a name that was there before; the first is kept
	ProblemClash     = "clash"        // something of another kind is already in its place
	ProblemTruncated = "truncated"    // longer than Limits.File, or than what Limits.Total left; the head is kept
	ProblemHost      = "host"         // the host could not write it
	ProblemBroken    = "broken_off"   // the archive ended in the middle of it
	ProblemSkipped   = "skipped"      // left out, as asked
	ProblemCaptured  = "capture_only" // kept in memory alone, as asked
)

// Captured is an entry that was kept in memory, unmasked.
type Captured struct {
	// Data is the head of the content, at most as long as asked; empty when Kind is not KindFile.
	Data []byte
	// Size is the size in bytes that the archive states.
	Size int64
	// Kind is the entry's kind. When a folder above it is not a folder (but a link, say), it is the kind of that.
	Kind string
	// Target is the text of a link.
	Target string
	// Broken says that the archive ended in the middle of it.
	Broken bool
}

// Limits bound an unpacking. Zero fields have the values of DefaultLimits.
type Limits struct {
	File    int64 // bytes written of one file
	Total   int64 // bytes written of all files together
	Entries int   // entries listed
	Names   int64 // bytes of the names of all entries listed
	Path    int   // bytes of one name
	Depth   int   // elements of one name
	Stream  int64 // bytes read of the archive
}

// DefaultLimits are 256 MiB a file, 2 GiB together, 100,000 entries with 32 MiB of names, names of 2,048 bytes and
// 64 elements, and 16 GiB of archive.
func DefaultLimits() Limits {
	return Limits{
		File:    256 << 20,
		Total:   2 << 30,
		Entries: 100_000,
		Names:   32 << 20,
		Path:    2048,
		Depth:   64,
		Stream:  16 << 30,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		File:    orDefault(l.File, d.File),
		Total:   orDefault(l.Total, d.Total),
		Entries: orDefault(l.Entries, d.Entries),
		Names:   orDefault(l.Names, d.Names),
		Path:    orDefault(l.Path, d.Path),
		Depth:   orDefault(l.Depth, d.Depth),
		Stream:  orDefault(l.Stream, d.Stream),
	}
}

func orDefault[T int | int64](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}
