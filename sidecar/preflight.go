package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/system"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// DefaultMinFree is how much disk space must be free before a run starts, in bytes, unless the user says otherwise.
const DefaultMinFree = 1 << 30

// infoAnswer is how long a run waits for what the engine says of its machine. An engine behind a filter may never say it.
const infoAnswer = 3 * time.Second

// Room is the disk space that a run wants before it starts.
type Room struct {
	RunsDir string // the folder for records; where it is not there yet, its nearest parent counts
	MinFree int64  // bytes; 0 = do not look
}

// SpaceError says that a disk has too little free space to start a run.
type SpaceError struct {
	What       string // what is on the disk: "the engine's data" or "the runs folder"
	Path       string
	Free, Want int64 // bytes
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("too little disk space for %s: %s free at %s, and %s wanted; remove what is not needed, or allow less with --min-free",
		e.What, size(e.Free), e.Path, size(e.Want))
}

// Preflight sees, before anything is started, that a run can work: the engine answers and is one that the tool can use, there is a helper for its
// processor, and the disks have room. It costs what Ping costs and one request beside it. Errors are *UnusableError and
// *SpaceError. It ends with ctx at the latest.
func (e *Engine) Preflight(ctx context.Context, room Room) (Info, error) {
	if err := room.check("the runs folder", room.RunsDir); err != nil {
		return Info{}, err
	}
	beside, give := context.WithCancel(ctx)
	defer give()
	var m system.Info
	var side sync.WaitGroup
	unsaid := errUnasked
	in, err := e.ping(ctx, func() { side.Go(func() { m, unsaid = e.machine(beside) }) })
	if err == nil {
		err = e.fits(in)
	}
	if err != nil {
		give()
	}
	side.Wait()
	if err != nil || unsaid != nil {
		return in, err // an engine behind a filter may not say what it runs on
	}
	in.Loose, in.CPUs, in.Memory = loose(&m), m.NCPU, m.MemTotal
	e.lanes.cpus.Store(int64(m.NCPU))
	in.Cgroup, in.Storage, in.Security = m.CgroupVersion, m.Driver, strings.Join(m.SecurityOptions, ",")
	if e.host.Local() { // a disk elsewhere cannot be measured
		err = room.checkThere("the engine's data", m.DockerRootDir)
	}
	return in, err
}

// errUnasked stands for an answer that was not asked for.
var errUnasked = errors.New("not asked")

// loose lists what the engine's machine cannot limit.
func loose(m *system.Info) []Resource {
	var out []Resource
	for _, l := range []struct {
		resource Resource
		holds    bool
	}{{Memory, m.MemoryLimit}, {CPUs, m.CPUCfsQuota}, {Processes, m.PidsLimit}} {
		if !l.holds {
			out = append(out, l.resource)
		}
	}
	return out
}

// fits says whether this program can work with an engine that answered.
func (e *Engine) fits(in Info) error {
	var none *shim.NotBuiltError
	if _, err := shim.Binary(in.Arch); errors.As(err, &none) {
		return &UnusableError{Host: e.host.Address, Source: e.host.Source, Reason: "its processor is " + in.Arch, Cause: none}
	}
	return nil
}

// machine is what the engine says of the machine that it runs on. It is asked at most once at a time, and answers within three seconds or not at all.
func (e *Engine) machine(ctx context.Context) (system.Info, error) {
	ctx, cancel := within(ctx, infoAnswer)
	defer cancel()
	m, err := e.api.Info(ctx)
	return m, wrap(err, "ask the engine for its machine")
}

// check measures the disk that a path is on, or will be on. What cannot be measured is not held against it.
func (r Room) check(what, path string) error {
	at, free, err := freeSpace(path)
	if err != nil || free >= r.MinFree {
		return nil
	}
	return &SpaceError{What: what, Path: at, Free: free, Want: r.MinFree}
}

// checkThere is check for a path of the engine's: where it is not on this machine, the engine runs in another one behind a local socket.
func (r Room) checkThere(what, path string) error {
	if !there(path) {
		return nil
	}
	return r.check(what, path)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func unusable(err error) (*UnusableError, bool) {
	var u *UnusableError
	ok := errors.As(err, &u)
	return u, ok
}

// freeSpace is the space, in bytes, that an unprivileged user has on the disk of a path or, where that is not there, of its nearest parent.
func freeSpace(path string) (at string, free int64, err error) {
	if path == "" {
		path = "."
	}
	if at, err = filepath.Abs(path); err != nil {
		return path, 0, fmt.Errorf("measure free space: %w", err)
	}
	for parent := filepath.Dir(at); at != parent; at, parent = parent, filepath.Dir(parent) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	free, err = statFree(at)
	return at, free, err
}
