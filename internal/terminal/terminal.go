// Package terminal lends out the terminal that a person sits at, and puts it back as it was.
package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Size is a terminal's, in characters.
type Size struct{ Columns, Rows int }

// Screen is a terminal that is lent out: each key comes as it is pressed, Ctrl-C too.
type Screen struct {
	In  io.ReadCloser // closing it ends a read that waits; nothing more is read then
	Out io.Writer
	// Sizes has the size, and after that each new one; the last one if several came at once.
	Sizes <-chan Size
}

// Terminal is the one of a program's own streams.
type Terminal struct{ in, out *os.File }

// Find returns the terminal that a program reads from, with the first of its outputs that is one as well; nil = there is none, or nowhere to write to.
func Find(in io.Reader, outs ...io.Writer) *Terminal {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	for _, o := range outs {
		if out, ok := o.(*os.File); ok && term.IsTerminal(int(out.Fd())) {
			return &Terminal{in: f, out: out}
		}
	}
	return nil
}

// calm undoes what a program that was cut off may have left of its own: bracketed paste, a hidden cursor, colours (xterm's control sequences).
const calm = "\x1b[?2004l\x1b[?25h\x1b[0m\r\n"

// Lend hands the terminal over to use. When use returns, or panics, the terminal is as it was before.
func (t *Terminal) Lend(use func(*Screen) error) (err error) {
	fd := int(t.in.Fd())
	was, err := term.MakeRaw(fd)
	if err != nil {
		return fmt.Errorf("take over the terminal: %w", err)
	}
	sizes, quiet := t.sizes()
	in := Input(t.in)
	done := false
	defer func() {
		quiet()
		_ = in.Close()
		if !done || err != nil {
			_, _ = io.WriteString(t.out, calm) // nobody is left to tell when the terminal is gone
		}
		if rerr := term.Restore(fd, was); rerr != nil {
			err = errors.Join(err, fmt.Errorf("put the terminal back: %w", rerr))
		}
	}()
	err = use(&Screen{In: in, Out: t.out, Sizes: sizes})
	done = true
	return err
}

// sizes follows the terminal's size until quiet is called.
func (t *Terminal) sizes() (sizes <-chan Size, quiet func()) {
	ch := make(chan Size, 1)
	changed, stop := resized()
	over, ended := make(chan struct{}), make(chan struct{})
	tell := func() {
		w, h, err := term.GetSize(int(t.out.Fd()))
		if err != nil || w <= 0 || h <= 0 {
			return
		}
		select { // an older one that nobody took is of no use any more
		case <-ch:
		default:
		}
		ch <- Size{Columns: w, Rows: h}
	}
	tell()
	go func() {
		defer close(ended)
		for {
			select {
			case <-changed:
				tell()
			case <-over:
				return
			}
		}
	}()
	return ch, func() { stop(); close(over); <-ended }
}
