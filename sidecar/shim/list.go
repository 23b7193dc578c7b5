package shim

// The verbs "pack" and "drop" of the helper take a file that lists paths: each is a byte that says what is meant, an absolute path, and a NUL.
const (
	ListPath = 'p' // the file, link or folder alone
	ListTree = 't' // with all below it on the same file system
)

// ListLongest is the most bytes of an entry.
const ListLongest = 64 << 10
