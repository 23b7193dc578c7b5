// Package pty makes pseudo terminals, for tests of what people see.
package pty

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Open makes a pseudo terminal of a size: keys are what a person types and sees, and screen is the program's side. Both are to be closed.
func Open(columns, rows int) (keys, screen *os.File, err error) {
	keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("pseudo terminal: %w", err)
	}
	n := 0
	err = control(keys, func(fd int) (err error) {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err //nolint:wrapcheck // wrapped below
		}
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err //nolint:wrapcheck // wrapped below
	})
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = Resize(keys, columns, rows)
	}
	if err != nil {
		_ = keys.Close()
		return nil, nil, fmt.Errorf("pseudo terminal: %w", err)
	}
	return keys, screen, nil
}

// Resize gives the terminal another size, of which the program in its foreground is told.
func Resize(keys *os.File, columns, rows int) error {
	return control(keys, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: uint16(rows)}) //nolint:gosec // small numbers
	})
}

// Cooked says whether the terminal is one that people type lines into, as programs should leave it.
func Cooked(screen *os.File) (cooked bool, err error) {
	err = control(screen, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			cooked = t.Lflag&unix.ICANON != 0 && t.Lflag&unix.ECHO != 0 && t.Lflag&unix.ISIG != 0 && t.Oflag&unix.OPOST != 0
		}
		return err //nolint:wrapcheck // wrapped by the caller
	})
	return cooked, err
}

// control asks something of a file without making its reads blocking ones.
func control(f *os.File, ask func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return fmt.Errorf("pseudo terminal: %w", err)
	}
	var asked error
	if err := raw.Control(func(fd uintptr) { asked = ask(int(fd)) }); err != nil { //nolint:gosec // descriptors are small
		return fmt.Errorf("pseudo terminal: %w", err)
	}
	return asked
}
