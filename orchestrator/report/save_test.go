package report_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/orchestrator/report"
)

func says(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, werr := io.WriteString(w, text)
		return errors.Join(werr, err)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	content := func() string { data, _ := os.ReadFile(file); return string(data) }
	if err := report.Save(file, nil, says("first", nil)); err != nil || content() != "first" {
		t.Errorf("a new file: %v, %q", err, content())
	}
	if err := report.Save(file, nil, says("second", nil)); err != nil || content() != "second" {
		t.Errorf("a file that is there: %v, %q", err, content())
	}
	if err := report.Save(file, nil, says("half", errors.New("no more"))); err == nil || content() != "second" {
		t.Errorf("a report that fails: %v, %q", err, content())
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o644 {
		t.Errorf("its mode is %v, %v", st.Mode(), err)
	}
	var out bytes.Buffer
	if err := report.Save("-", &out, says("third", nil)); err != nil || out.String() != "third" {
		t.Errorf("standard output: %v, %q", err, out.String())
	}
	if err := report.Save(dir, nil, says("x", nil)); err == nil {
		t.Error("a folder was written to")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("it left %v", entries)
	}
}

func TestSaveWritesToAPipeAndDoesNotReplaceIt(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	if err := report.Save(pipe, nil, says("through", nil)); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the reader got %q", text)
	}
	if st, err := os.Lstat(pipe); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
}
