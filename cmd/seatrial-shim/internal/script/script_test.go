//go:build linux

package script_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/script"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text string
		want script.Head
		env  string
	}{
		{"plain", "#!/bin/sh\n", script.Head{Kind: script.Shebang, Interpreter: "/bin/sh"}, ""},
		{"without a newline", "#!/bin/sh", script.Head{Kind: script.Shebang, Interpreter: "/bin/sh"}, ""},
		{"with blanks", "#! \t/bin/sh \t -e -x \nfoo", script.Head{Kind: script.Shebang, Interpreter: "/bin/sh", Arg: "-e -x"}, ""},
		{"carriage return", "#!/bin/bash\r\n", script.Head{Kind: script.Shebang, Interpreter: "/bin/bash\r", CR: true}, ""},
		{"env", "#!/usr/bin/env python3\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "python3"}, "python3"},
		{"env with a carriage return", "#!/usr/bin/env bash\r\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "bash\r", CR: true}, "bash"},
		{"env -S", "#!/usr/bin/env -S python3 -u\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "-S python3 -u"}, "python3"},
		{"env with an option", "#!/usr/bin/env -i\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "-i"}, ""},
		{"env -S with a variable", "#!/usr/bin/env -S A=b python3\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "-S A=b python3"}, ""},
		{"env with two words is one program", "#!/usr/bin/env python3 -u\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env", Arg: "python3 -u"}, ""},
		{"env alone", "#!/usr/bin/env\n", script.Head{Kind: script.Shebang, Interpreter: "/usr/bin/env"}, ""},
		{"empty shebang", "#!\necho", script.Head{Kind: script.Text}, ""},
		{"text", "echo hi\n", script.Head{Kind: script.Text}, ""},
		{"text with carriage returns", "echo hi\r\n", script.Head{Kind: script.Text, CR: true}, ""},
		{"a byte order mark before the shebang", "\xef\xbb\xbf#!/bin/sh\n", script.Head{Kind: script.Text, BOM: true}, ""},
		{"nothing", "", script.Head{Kind: script.Text}, ""},
		{"UTF-16", "#\x00!\x00\n", script.Head{Kind: script.Binary}, ""},
		{"a program", "\x7fELF\x02", script.Head{Kind: script.ELF}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := script.Parse([]byte(c.text))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if env := got.EnvProgram(); env != c.env {
				t.Errorf("program %q, want %q", env, c.env)
			}
		})
	}
}

func TestParseELF(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"/proc/self/exe", "/bin/sh"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := script.ParseELF(b[:min(len(b), script.HeadSize)])
		if !ok || p.Bits != 64 || strings.HasPrefix(script.MachineName(p.Machine), "machine") {
			t.Errorf("%s: %+v %v", file, p, ok)
		}
		if file == "/bin/sh" && p.Loader != "" {
			if _, err := os.Stat(p.Loader); err != nil {
				t.Errorf("loader %q: %v", p.Loader, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("#!/usr/bin/env -S \r\n"))
	f.Add([]byte("#!/bin/sh -e\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := script.Parse(b)
		if h.Kind == script.Shebang && (h.Interpreter == "" || strings.ContainsAny(h.Interpreter, " \t\n\x00")) {
			t.Errorf("%+v", h)
		}
		if p := h.EnvProgram(); strings.ContainsAny(p, " \t=") {
			t.Errorf("%q", p)
		}
	})
}

func FuzzParseELF(f *testing.F) {
	b, err := os.ReadFile("/bin/sh")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:min(len(b), script.HeadSize)])
	f.Add([]byte("\x7fELF\x01\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := script.ParseELF(b); ok && (len(p.Loader) > 4096 || strings.Contains(p.Loader, "\x00")) {
			t.Errorf("%+v", p)
		}
	})
}
