// Package checkout fetches single commits of git repositories and keeps their files in a cache. Nothing of a repository is ever carried out: there are no hooks, no
// filters and no submodules, and no link that leads out of the files is made. What a commit's files are is held by its hash, which is computed anew from what is written.
package checkout

// Bounds of one commit.
const (
	maxPack    = 2 << 30   // bytes on the wire
	maxObject  = 512 << 20 // bytes of one file or other object
	maxTotal   = 8 << 30   // bytes of all objects, and of all files
	maxEntries = 500_000   // files and folders
	maxDepth   = 100       // folders in each other
	maxLink    = 4096      // bytes of a link
)
