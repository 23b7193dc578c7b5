//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/state"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// pack prints a tar archive of the paths that a list names, compressed as shim.Unpacked reads it.
func pack(args []string) int {
	return listed(args, func(names func(func(kind byte, path string) error) error) error {
		out := shim.Packed(os.Stdout)
		w := state.NewWriter(out)
		err := names(func(kind byte, path string) error {
			if kind == shim.ListTree {
				return w.Tree(path)
			}
			return w.Path(path)
		})
		return errors.Join(err, w.Close(), out.Close())
	})
}

// drop removes the paths that a list names, with all below them.
func drop(args []string) int {
	return listed(args, func(names func(func(kind byte, path string) error) error) error {
		return names(func(_ byte, path string) error { return state.Remove(path) })
	})
}

// listed hands over the entries of a list one after the other.
func listed(args []string, do func(func(func(kind byte, path string) error) error) error) int {
	if len(args) != 1 {
		return usage()
	}
	f, err := os.Open(args[0])
	if err != nil {
		complain(err.Error())
		return exitUsage
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, shim.ListLongest)
	s.Split(untilNUL)
	err = do(func(each func(kind byte, path string) error) error {
		for s.Scan() {
			line := s.Text()
			if len(line) < 2 || !strings.HasPrefix(line[1:], "/") {
				return errors.New("the list holds no path: " + line)
			}
			if err := each(line[0], line[1:]); err != nil {
				return err
			}
		}
		return s.Err()
	})
	if err != nil {
		complain(err.Error())
		return exitGone
	}
	return 0
}

func untilNUL(data []byte, end bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}
