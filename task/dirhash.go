package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// DirHash is the hash that Harbor calls a task's checksum: that of the Dirhash Standard 0.1.0 (https://github.com/andhus/dirhash) with SHA-256 over names and
// data, where folders without a file do not count. It is 64 hexadecimal digits. A folder without a task.toml, one with links (Harbor would follow them), and one of more
// than most bytes or MaxFiles files have none. Every error is a *DigestError.
func DirHash(dir string, most int64) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", &DigestError{Path: dir, Err: err}
	}
	defer root.Close()
	if st, err := root.Lstat("task.toml"); err != nil || !st.Mode().IsRegular() {
		return "", &DigestError{Path: "task.toml", Reason: "is not there"}
	}
	h := dirHasher{root: root, bytes: most, files: MaxFiles}
	sum, err := h.folder(".")
	if err != nil {
		return "", err
	}
	return sum, nil
}

// dirHasher counts down what may still be read.
type dirHasher struct {
	root  *os.Root
	bytes int64
	files int
}

// folder is the hash of a folder; empty when it holds no file.
func (h *dirHasher) folder(name string) (string, error) {
	list, err := fs.ReadDir(h.root.FS(), name)
	if err != nil {
		return "", &DigestError{Path: name, Err: err}
	}
	var lines []string
	for _, e := range list {
		at, kind, sum := path.Join(name, e.Name()), "data", ""
		switch {
		case e.IsDir():
			kind = "dirhash"
			sum, err = h.folder(at)
		case e.Type().IsRegular():
			sum, err = h.file(at)
		default:
			err = &DigestError{Path: at, Reason: "is neither a file nor a folder"}
		}
		if err != nil {
			return "", err
		}
		if sum != "" {
			lines = append(lines, kind+":"+sum+"\x00name:"+e.Name())
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	slices.Sort(lines) // as bytes, which is the order of the characters too
	sum := sha256.Sum256([]byte(strings.Join(lines, "\x00\x00")))
	return hex.EncodeToString(sum[:]), nil
}

func (h *dirHasher) file(name string) (string, error) {
	if h.files--; h.files < 0 {
		return "", &DigestError{Path: ".", Reason: fmt.Sprintf("the folder holds more than %d files", MaxFiles)}
	}
	f, err := openRegular(h.root, name)
	if err != nil {
		return "", &DigestError{Path: name, Err: err}
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, h.bytes+1))
	if err != nil {
		return "", &DigestError{Path: name, Err: err}
	}
	if h.bytes -= n; h.bytes < 0 {
		return "", &DigestError{Path: name, Reason: "is larger than what is read of a folder"}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
