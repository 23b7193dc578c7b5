package task_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/task"
)

func TestBoundsOfAFile(t *testing.T) {
	for name, text := range map[string]string{
		"too large":                    strings.Repeat("# comment\n", 120_000),
		"too deep by a dotted key":     "a" + strings.Repeat(".a", 100_000) + " = 1",
		"too deep by a header":         "[a" + strings.Repeat(".a", 100_000) + "]",
		"too deep by arrays":           "a = " + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000),
		"too deep by inline tables":    "a = " + strings.Repeat("{a=", 100) + "1" + strings.Repeat("}", 100),
		"too many items":               "a = [" + strings.Repeat("1,", 100_000) + "]",
		"too many tables in an array":  strings.Repeat("[[steps]]\n", 50_000),
		"too many keys":                manyKeys(50_000),
		"brackets without end":         "a = " + strings.Repeat("[", 500_000),
		"a NUL in the text":            "a = \x00",
		"text that is not UTF-8":       "a = \"\xff\"",
		"a lone carriage return":       "a = 1\rb = 2",
		"many unknown keys all report": manyKeys(10_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, _, err := task.Parse("task.toml", []byte(text), task.Options{})
			var all task.Problems
			if !errors.As(err, &all) {
				t.Fatalf("got %v, want Problems", err)
			}
			if len(all.Error()) > 4<<20 {
				t.Errorf("the message has %d bytes", len(all.Error()))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d=1\n", i)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/survey/*.toml", "testdata/problems/*.toml"} {
		for _, file := range glob(f, pattern) {
			f.Add(read(f, file))
		}
	}
	f.Add([]byte("\xef\xbb\xbfa=1"))
	f.Add([]byte("steps=[[]]\n[[steps]]"))
	f.Add([]byte("[a.b]\n[[a.b]]\n[a.b.c]\na.b.c=1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		c, warnings, err := task.Parse("task.toml", data, task.Options{})
		if !bytes.Equal(before, data) {
			t.Fatal("Parse changed its input")
		}
		if (c == nil) == (err == nil) {
			t.Fatalf("got Config %v and error %v", c, err)
		}
		var all task.Problems
		if err != nil && (!errors.As(err, &all) || len(all) == 0) {
			t.Fatalf("the error %T is not Problems", err)
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for i, p := range all {
			if p.Line > lines || p.Error() == "" || strings.Contains(p.Error(), "\n") {
				t.Fatalf("problem %d of %d lines: %q", i, lines, p.Error())
			}
			if i > 0 && p.Line < all[i-1].Line {
				t.Fatalf("problems are not sorted: %v", all)
			}
		}
		lax, laxWarnings, laxErr := task.Parse("task.toml", data, task.Options{Lax: true})
		if err == nil && (laxErr != nil || show(c, warnings) != show(lax, laxWarnings)) {
			t.Fatalf("a right file is read otherwise when lax: %v", laxErr)
		}
	})
}
