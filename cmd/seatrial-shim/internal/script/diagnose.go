//go:build linux

package script

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// Find looks name up as execvp(3) does: one with a slash is taken as it is, another one is searched in path, the value
// of PATH. Relative results are relative to the working directory. The error is a *Failure.
func Find(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	if name == "" {
		return "", &Failure{shim.StartNotFound, "the command is empty"}
	}
	found := ""
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		file := dir + "/" + name
		st, err := os.Stat(file)
		if err != nil || st.IsDir() {
			continue
		}
		if st.Mode()&0o111 != 0 {
			return file, nil
		}
		if found == "" {
			found = file
		}
	}
	if found != "" {
		return "", &Failure{shim.StartPermission, found + " is not executable; set its execute bit in the image"}
	}
	return "", &Failure{shim.StartNotFound, name + " is not in the container's PATH (" + path + ")"}
}

// Failure says why a command does not start.
type Failure struct {
	// Kind is one of shim's Start constants.
	Kind   string
	Detail string
}

// Error is for people.
func (f *Failure) Error() string { return f.Detail }

// Check looks at a task's script before it starts, for what the kernel would not complain about: with "#!/usr/bin/env x" and no x,
// or with a carriage return behind an argument, it is the interpreter that fails, and its exit code looks like the script's own.
func Check(file, path string) *Failure {
	h, _ := readHead(file)
	if h.Kind != Shebang {
		return nil
	}
	prog := h.EnvProgram()
	missing := false
	if prog != "" {
		_, err := Find(prog, path)
		missing = err != nil
	}
	switch {
	case h.CR && (h.Arg != "" || !exists(h.Interpreter)):
		return crlf(file)
	case missing && exists(h.Interpreter):
		return &Failure{shim.StartInterpreter, file + " wants " + prog + ", which is not in the container's PATH (" + path +
			"); install it in the image, or change the script's first line"}
	default:
		return nil
	}
}

// Diagnose says why executing file failed with err. A nil answer means that a shell is to run it: it is text without a shebang.
func Diagnose(file string, err error) *Failure {
	h, b := readHead(file)
	switch {
	case errors.Is(err, unix.ENOENT):
		return diagnoseMissing(file, h, b)
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENAMETOOLONG):
		return &Failure{shim.StartNotFound, file + " does not exist: " + err.Error()}
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return &Failure{shim.StartPermission, file + " may not be executed: " + whyDenied(file, h)}
	case errors.Is(err, unix.ENOEXEC):
		if h.Kind == Text && b != nil {
			return nil
		}
		return &Failure{shim.StartFormat, file + " is neither a script nor a program for this machine (" + runtime.GOARCH + ")" + describe(b)}
	case errors.Is(err, unix.E2BIG):
		return &Failure{shim.StartOther, file + " was not started: its arguments and environment are too long"}
	case errors.Is(err, unix.EAGAIN):
		return &Failure{shim.StartOther, file + " was not started: the container's limit of processes is reached"}
	default:
		return &Failure{shim.StartOther, file + " was not started: " + err.Error()}
	}
}

// WhyText says for people why the kernel does not know how to run a text file.
func WhyText(file string) string {
	h, _ := readHead(file)
	switch {
	case h.BOM:
		return file + " begins with a byte order mark, which hides the interpreter in its first line"
	case h.CR:
		return file + " names no interpreter in its first line (and has Windows line endings)"
	default:
		return file + " names no interpreter in its first line"
	}
}

func diagnoseMissing(file string, h Head, b []byte) *Failure {
	if !exists(file) {
		return &Failure{shim.StartNotFound, file + " does not exist in the container"}
	}
	if h.Kind == Shebang {
		if h.CR {
			return crlf(file)
		}
		if exists(h.Interpreter) {
			return &Failure{shim.StartInterpreter, file + " wants the interpreter " + h.Interpreter +
				", which is there but lacks its own interpreter or loader"}
		}
		return &Failure{shim.StartInterpreter, file + " wants the interpreter " + h.Interpreter +
			", which is not in the container; install it in the image, or change the script's first line"}
	}
	if p, ok := ParseELF(b); ok && p.Loader != "" {
		return &Failure{shim.StartInterpreter, file + " wants the loader " + p.Loader +
			", which is not in the container; it was built for another C library"}
	}
	return &Failure{shim.StartNotFound, file + " cannot be started: something that it needs is missing"}
}

func crlf(file string) *Failure {
	return &Failure{shim.StartCRLF, file + " has Windows line endings at line 1; save it with LF line endings"}
}

func whyDenied(file string, h Head) string {
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "a folder above it is closed to this user"
	case err != nil:
		return err.Error()
	case st.IsDir():
		return "it is a folder"
	case !st.Mode().IsRegular():
		return "it is not a regular file"
	case st.Mode()&0o111 == 0:
		return "its execute bit is not set"
	case onNoexec(file):
		return "it lies on a file system mounted noexec"
	case h.Kind == Shebang && exists(h.Interpreter):
		if in, err := os.Stat(h.Interpreter); err == nil && in.Mode()&0o111 == 0 {
			return "its interpreter " + h.Interpreter + " is not executable"
		}
	}
	return "its mode, or that of a folder above it, is closed to this user"
}

func onNoexec(file string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(file, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0
}

func describe(b []byte) string {
	if p, ok := ParseELF(b); ok {
		return "; it is a program for " + MachineName(p.Machine)
	}
	return ""
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// readHead returns what the file's first bytes tell, and the bytes; nil if they cannot be read.
func readHead(file string) (Head, []byte) {
	// A pipe in its place must not block.
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return Head{}, nil
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return Head{}, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, HeadSize))
	if err != nil {
		return Head{}, nil
	}
	return Parse(b), b
}
