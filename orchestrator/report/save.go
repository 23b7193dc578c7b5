package report

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Save writes a report to a file, or to out if the file is "-". A regular file is replaced, and only when the report is whole; a device or a pipe is written to.
func Save(file string, out io.Writer, write func(io.Writer) error) error {
	if file == "-" {
		return write(out)
	}
	fail := func(err error) error { return fmt.Errorf("write %s: %w", file, err) }
	if st, err := os.Stat(file); err == nil && !st.Mode().IsRegular() {
		return into(file, write)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fail(err)
	}
	b := bufio.NewWriter(f)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fail(err)
	}
	return nil
}

// into writes to what is there. To replace a device would take it away from everybody.
func into(file string, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	b := bufio.NewWriter(f)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
