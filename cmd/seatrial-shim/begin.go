//go:build linux

package main

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/account"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/proc"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/script"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/stream"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// start starts the command and all that watches it, and returns when that was.
func (j *job) start() (time.Time, *shim.StartError) {
	l, failed := j.ready()
	if failed != nil {
		return time.Time{}, failed
	}
	before, err := proc.List()
	if err != nil {
		return time.Time{}, &shim.StartError{Kind: shim.StartOther, Detail: "cannot list processes: " + err.Error()}
	}
	j.family = proc.NewRun(os.Getpid(), proc.Held(), before)
	writers, err := j.open(l)
	if err != nil {
		return time.Time{}, &shim.StartError{Kind: shim.StartOther, Detail: "cannot make pipes: " + err.Error()}
	}
	if f := j.spec.Files; f != nil {
		// Through package syscall, which otherwise would give children the limit that it found at its own start.
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: f.Soft, Max: f.Hard}); err != nil {
			j.warn("file_limit", "the limit on open files could not be set: "+err.Error())
		}
	}
	begin := time.Now()
	if dir, err := os.Getwd(); err == nil {
		j.folder, j.began = dir, begin
	}
	pid, failed := j.launch(l)
	j.unfavour()
	for _, w := range writers {
		_ = w.Close() // the command has its own
	}
	if failed != nil {
		return time.Time{}, failed
	}
	_ = os.Chdir("/") // the command's folder is not ours to hold
	j.reaper = reap(pid)
	for _, p := range j.pumps {
		p.begin()
	}
	return begin, nil
}

// launching is a command that is ready to start.
type launching struct {
	file string
	argv []string
	attr syscall.ProcAttr
	id   *account.Identity // nil without a switch
}

// ready finds the user, the folder and the program.
func (j *job) ready() (*launching, *shim.StartError) {
	l := &launching{argv: j.spec.Argv, attr: syscall.ProcAttr{Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true}}}
	if failed := j.setUser(l); failed != nil {
		return nil, failed
	}
	if failed := j.setDir(l); failed != nil {
		return nil, failed
	}
	file, err := script.Find(l.argv[0], searchPath(l.attr.Env))
	if err != nil {
		return nil, startError(err)
	}
	l.file = file
	for _, name := range j.spec.Needs {
		found, err := script.Find(name, searchPath(l.attr.Env))
		if err != nil {
			return nil, startError(err)
		}
		if _, err := os.Stat(found); errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			return nil, &shim.StartError{Kind: shim.StartNotFound, Detail: "there is no " + name + " in the container"}
		}
	}
	if j.spec.Script {
		if f := script.Check(file, searchPath(l.attr.Env)); f != nil {
			return nil, startError(f)
		}
	}
	return l, nil
}

func (j *job) setUser(l *launching) *shim.StartError {
	if j.spec.User == "" && !j.spec.SetHome {
		return nil
	}
	id, err := resolve(j.spec.User)
	if err != nil {
		return &shim.StartError{Kind: shim.StartUser, Detail: err.Error()}
	}
	if j.spec.SetHome {
		l.attr.Env = setEnv(l.attr.Env, "HOME", id.Home)
	}
	if j.spec.User != "" && (!sameUser(id) || !sameGroups(id)) {
		l.id = &id
		l.attr.Sys.Credential = &syscall.Credential{Uid: id.UID, Gid: id.GID, Groups: id.Groups}
	}
	return nil
}

// setDir changes to the working directory before the user is switched, as the engine does: a user may start in a folder
// that it could not enter.
func (j *job) setDir(l *launching) *shim.StartError {
	dir := j.spec.Dir
	if dir == "" {
		return nil
	}
	err := os.Chdir(dir)
	if (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)) && j.spec.DirFallback != "" {
		j.warn("dir_missing", "the working directory "+dir+" does not exist; "+j.spec.DirFallback+" was used")
		dir = j.spec.DirFallback
		err = os.Chdir(dir)
	}
	switch {
	case errors.Is(err, unix.EACCES):
		l.attr.Dir = dir // perhaps the user may
	case err != nil:
		return &shim.StartError{Kind: shim.StartDir, Detail: "cannot start in the working directory: " + err.Error()}
	}
	if hasEnv(l.attr.Env, "PWD") {
		l.attr.Env = setEnv(l.attr.Env, "PWD", dir)
	}
	return nil
}

// open makes the command's streams.
func (j *job) open(l *launching) (writers []*os.File, err error) {
	stdin, err := emptyInput()
	if err != nil {
		return nil, err
	}
	l.attr.Files = []uintptr{stdin.Fd()}
	writers = []*os.File{stdin}
	for _, kind := range []byte{shim.FrameStdout, shim.FrameStderr} {
		p, w, err := newPump(stream.New(j.frames, kind, j.spec.Head, j.spec.Tail))
		if err != nil {
			return nil, err
		}
		if l.id != nil {
			// Otherwise /dev/stdout could not be opened: a pipe belongs to its maker.
			_ = unix.Fchown(int(w.Fd()), int(l.id.UID), int(l.id.GID))
		}
		j.pumps = append(j.pumps, p)
		writers = append(writers, w)
		l.attr.Files = append(l.attr.Files, w.Fd())
	}
	return writers, nil
}

// emptyInput is /dev/null, or a pipe that nobody writes to where there is none.
func emptyInput() (*os.File, error) {
	if f, err := os.Open(os.DevNull); err == nil {
		return f, nil
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	_ = unix.Close(fds[1])
	return os.NewFile(uintptr(fds[0]), "empty"), nil
}
