//go:build linux

package tree

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// copyEntry copies anything but a folder.
func copyEntry(src, dst place, st unix.Stat_t, budget *Budget) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return copyFile(src, dst, budget)
	case unix.S_IFLNK:
		return copyLink(src, dst, st)
	default:
		err := unix.Mknodat(dst.fd(), dst.name, st.Mode, int(st.Rdev))
		if errors.Is(err, unix.EPERM) {
			return nil // a device node that we may not make is not worth a failure
		}
		return dst.errorf("make", err)
	}
}

func copyLink(src, dst place, st unix.Stat_t) error {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(src.fd(), src.name, buf)
	if err != nil {
		return src.errorf("read", err)
	}
	if err := unix.Symlinkat(string(buf[:n]), dst.fd(), dst.name); err != nil {
		return dst.errorf("make", err)
	}
	return ignorePerm(unix.Fchownat(dst.fd(), dst.name, int(st.Uid), int(st.Gid), unix.AT_SYMLINK_NOFOLLOW))
}

func copyFile(src, dst place, budget *Budget) error {
	in, st, err := src.openFile()
	if err != nil {
		return err
	}
	defer in.Close()
	if budget.Bytes -= st.Size; budget.Bytes < 0 {
		return over(src)
	}
	fd, err := unix.Openat(dst.fd(), dst.name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return dst.errorf("make", err)
	}
	out := os.NewFile(uintptr(fd), dst.path())
	defer out.Close()
	// The size is what was counted; a file that grows meanwhile must not go over it.
	if _, err := io.Copy(out, io.LimitReader(in, st.Size)); err != nil {
		return err
	}
	if err := adopt(out, st); err != nil {
		return err
	}
	return out.Close()
}

// openFile opens the regular file at p and nothing else; a pipe in its place does not block.
func (p place) openFile() (*os.File, unix.Stat_t, error) {
	var st unix.Stat_t
	fd, err := unix.Openat(p.fd(), p.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, st, p.errorf("open", err)
	}
	f := os.NewFile(uintptr(fd), p.path())
	err = unix.Fstat(fd, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errNotRegular
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, st, p.errorf("open", err)
	}
	return f, st, nil
}

var errNotRegular = errors.New("not a regular file")

// adopt gives f the owner, mode and times of st. Who may not give files away keeps them.
func adopt(f *os.File, st unix.Stat_t) error {
	fd := int(f.Fd())
	if err := ignorePerm(unix.Fchown(fd, int(st.Uid), int(st.Gid))); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, st.Mode&0o7777); err != nil {
		return err
	}
	times := []unix.Timeval{unix.NsecToTimeval(st.Atim.Nano()), unix.NsecToTimeval(st.Mtim.Nano())}
	return ignorePerm(unix.Futimes(fd, times))
}

func ignorePerm(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
		return nil
	}
	return err
}
