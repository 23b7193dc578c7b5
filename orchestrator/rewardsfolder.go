package orchestrator

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/seatrial/seatrial/verifier"
)

// RewardsFolderError says that a folder cannot be looked into for rewards.
type RewardsFolderError struct {
	Path   string
	Reason string
	// Err is the file system's error, if there is one.
	Err error
}

// Error says what is at the path instead.
func (e *RewardsFolderError) Error() string {
	s := fmt.Sprintf("%q: %s", e.Path, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the file system's error.
func (e *RewardsFolderError) Unwrap() error { return e.Err }

// mostListed bounds the names of a folder that are kept for messages.
const mostListed = 1000

// ReadRewards reads the files that are judged from a folder of this machine: dir itself where one of them is in it, else its folder verifier, as trials have
// one. No link in it is followed, no device is read, and no more of a file than the contract takes. The error is a *RewardsFolderError.
func ReadRewards(dir string) (verifier.Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return verifier.Files{}, &RewardsFolderError{Path: dir, Reason: "cannot be opened as a folder", Err: err}
	}
	defer root.Close()
	if own := holdsRewards(root); !own && isFolder(root, "verifier") {
		inner, err := root.OpenRoot("verifier")
		if err != nil {
			return verifier.Files{}, &RewardsFolderError{Path: filepath.Join(dir, "verifier"), Reason: "cannot be opened as a folder", Err: err}
		}
		defer inner.Close()
		root = inner
	} else if !own && isFolder(root, "steps") {
		return verifier.Files{}, &RewardsFolderError{Path: dir, Reason: "it is the trial of a task with steps; name the folder of one, such as steps/NAME"}
	}
	return rewardsIn(root)
}

func holdsRewards(root *os.Root) bool {
	for name := range rewardFiles() {
		if _, err := root.Lstat(name); err == nil {
			return true
		}
	}
	return false
}

func isFolder(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir()
}

func rewardsIn(root *os.Root) (verifier.Files, error) {
	var found rewardsFound
	for name, limit := range rewardFiles() {
		if f := rewardFile(root, name, limit); f != nil {
			found.file(name, f)
		}
	}
	d, err := root.Open(".")
	if err != nil {
		return verifier.Files{}, &RewardsFolderError{Path: root.Name(), Reason: "cannot be listed", Err: err}
	}
	defer d.Close()
	names, err := d.Readdirnames(mostListed)
	if err != nil && !errors.Is(err, io.EOF) {
		return verifier.Files{}, &RewardsFolderError{Path: root.Name(), Reason: "cannot be listed", Err: err}
	}
	slices.Sort(names)
	found.files.Listing = names
	return found.files, nil
}

// rewardFile reads at most limit bytes of a file; nil when there is none. What is no plain file is named and not opened.
func rewardFile(root *os.Root, name string, limit int64) *verifier.File {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &verifier.File{Problem: "unreadable"}
	}
	if problem := kindOf(info.Mode()); problem != "" {
		return &verifier.File{Problem: problem}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it does not wait on a pipe that has taken the file's place
	if err != nil {
		return &verifier.File{Problem: "unreadable"}
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return &verifier.File{Problem: "changed while it was read"}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return &verifier.File{Problem: "unreadable"}
	}
	return &verifier.File{Data: data, Size: max(info.Size(), int64(len(data)))}
}

// kindOf names what is in a file's place; empty for a plain file.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return ""
	case m&fs.ModeSymlink != 0:
		return "link"
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
