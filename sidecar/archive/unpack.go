package archive

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// UnpackOptions says what to do with the entries of an archive.
type UnpackOptions struct {
	// Routes maps folders of the archive to folders of the destination ("logs/agent" to "agent"; "" is the destination
	// itself), and a single file of the archive to a file. The longest match counts; entries below none are listed only. Nil unpacks everything as it is.
	Routes map[string]string
	// Capture names entries whose first bytes are also kept in memory, and how many of them.
	Capture map[string]int64
	// CaptureOnly keeps captured entries from being written on the host.
	CaptureOnly bool
	// Keep names files of the destination, slash-separated, that are never replaced; an entry for one counts as a duplicate.
	Keep []string
	// Skip leaves out entries by their slash-separated name in the archive; nil leaves out none. They are listed as ProblemSkipped.
	Skip func(name string) bool
	// Limits bound the work.
	Limits Limits
	// Mask, if set, wraps the content of each file on its way to the host. Limits hold for what it gives.
	Mask func(name string, r io.Reader) io.Reader
	// FoldCase says that the host takes names that differ in case only for one. Unpack sets it on Windows and macOS.
	FoldCase bool
	// WindowsNames also changes the names that only Windows cannot hold. Unpack sets it there.
	WindowsNames bool
}

// Unpack reads a tar stream and writes its files and folders below dst, files with mode 0644 or 0755 and folders with 0755
// less the process's umask. Links, devices and all else are listed, never made, and no link is followed. Files that were
// in dst before are replaced. Names that the host cannot hold are changed in a fixed way and marked. A dst of nil lists
// and captures only.
//
// The listing is valid whatever the error: *StreamError when the archive breaks off, *LimitError when it is too long,
// *HostError when files could not be written (the others are).
func Unpack(r io.Reader, dst *os.Root, opt UnpackOptions) (Listing, error) {
	opt.Limits = opt.Limits.orDefaults()
	opt.FoldCase = opt.FoldCase || runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	src := &source{r: r, left: opt.Limits.Stream, limit: opt.Limits.Stream}
	u := &unpacker{
		opt:    opt,
		dst:    dst,
		tar:    tar.NewReader(src),
		names:  newNames(opt.FoldCase, opt.WindowsNames || runtime.GOOS == "windows", 2*opt.Limits.Names),
		routes: newRoutes(opt.Routes),
		wanted: slices.Sorted(maps.Keys(opt.Capture)),
		made:   map[string]bool{},
		files:  map[string]bool{},
	}
	u.list.Captured = map[string]Captured{}
	for _, name := range opt.Keep {
		u.files[name] = true
	}
	err := u.all(src)
	return u.list, errors.Join(err, u.hostErr())
}

type unpacker struct {
	opt    UnpackOptions
	dst    *os.Root
	tar    *tar.Reader
	names  *names
	routes routes
	wanted []string        // the names to capture
	made   map[string]bool // folders known to be folders
	files  map[string]bool // files written by this unpacking
	list   Listing
	listed int64 // bytes of names
	host   *HostError
}

func (u *unpacker) all(src *source) error {
	last := ""
	for {
		hdr, err := u.tar.Next()
		if errors.Is(err, io.EOF) && !src.cut() {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return u.streamError(last, err)
		}
		last = u.shown(hdr.Name)
		if err := u.entry(hdr, last); err != nil {
			return u.streamError(last, err)
		}
	}
}

func (u *unpacker) streamError(entry string, err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &StreamError{Entry: entry, Err: err}
}

// entry handles one entry; its error is that of the stream.
func (u *unpacker) entry(hdr *tar.Header, shown string) error {
	e := Entry{Name: shown, Kind: kindOfHeader(hdr), Size: hdr.Size}
	if e.Kind == KindLink || e.Kind == KindHardLink {
		e.Target = u.shown(hdr.Linkname)
	}
	elems, problem := split(hdr.Name, u.opt.Limits)
	body := io.Reader(u.tar)
	captured := false
	if problem == "" {
		var err error
		if body, captured, err = u.capture(strings.Join(elems, "/"), e); err != nil {
			e.Problem = ProblemBroken
			u.add(e)
			return err
		}
	}
	e.Problem = problem
	if !u.room(e) {
		u.list.Unlisted++
		return nil
	}
	var err error
	switch {
	case problem != "":
	case u.opt.Skip != nil && u.opt.Skip(strings.Join(elems, "/")):
		e.Problem = ProblemSkipped
	case captured && u.opt.CaptureOnly:
		e.Problem = ProblemCaptured
	default:
		err = u.write(&e, hdr, elems, body)
	}
	u.add(e)
	return err
}

// capture keeps the head of the entry called name if it is wanted, and returns a reader of its whole content.
func (u *unpacker) capture(name string, e Entry) (io.Reader, bool, error) {
	for _, want := range u.wanted {
		if _, twice := u.list.Captured[want]; twice || !hides(name, e.Kind, want) {
			continue
		}
		c := Captured{Size: e.Size, Kind: e.Kind, Target: e.Target}
		if want != name || e.Kind != KindFile {
			u.list.Captured[want] = c
			continue
		}
		data, err := io.ReadAll(io.LimitReader(u.tar, u.opt.Capture[want]))
		c.Data, c.Broken = data, err != nil
		u.list.Captured[want] = c
		return io.MultiReader(strings.NewReader(string(data)), u.tar), true, err
	}
	return u.tar, false, nil
}

// hides tells whether an entry is the wanted one, or stands where a folder above the wanted one should be.
func hides(name, kind, want string) bool {
	return name == want || kind != KindDir && strings.HasPrefix(want, name+"/")
}

func (u *unpacker) room(e Entry) bool {
	return len(u.list.Entries) < u.opt.Limits.Entries && u.listed+int64(len(e.Name)+len(e.Target)) <= u.opt.Limits.Names
}

func (u *unpacker) add(e Entry) {
	if !u.room(e) {
		u.list.Unlisted++
		return
	}
	u.listed += int64(len(e.Name) + len(e.Target))
	u.list.Entries = append(u.list.Entries, e)
}

// shown is a name as it may be printed into JSON.
func (u *unpacker) shown(name string) string {
	return cut(strings.ToValidUTF8(strings.TrimSuffix(name, "/"), "\uFFFD"), u.opt.Limits.Path)
}

func (u *unpacker) failed(entry string, err error) {
	if u.host == nil {
		u.host = &HostError{Entry: entry, Err: err}
	}
	u.host.Count++
}

func (u *unpacker) hostErr() error {
	if u.host == nil {
		return nil
	}
	return u.host
}
