package stack_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/stack"
)

func TestReferencesAreReplacedAsComposeReplacesThem(t *testing.T) {
	vars := map[string]string{"A": "a", "EMPTY": "", "D": "$A"}
	for _, text := range []string{
		"$A", "${A}", "x${A}y$A", "$$A", "$$$A", "${EMPTY:-d}", "${EMPTY-d}", "${NO:-d}", "${NO-d}", "${NO:-}", "${A:+s}",
		"${EMPTY:+s}", "${EMPTY+s}", "${NO+s}", "${NO:-${A}}", "${NO:-x${NO:-$A}}y", "$D", "${NO:-$D}", "$", "$1", "a$ b", "${A:?m}",
		"${NO:-a:b}", "${NO:-{\"a\":1}}", "${A}}", "${A:-x}${EMPTY:-y}", "é$A", "${NO:-$$A}",
	} {
		t.Run(text, func(t *testing.T) {
			want, err := template.Substitute(text, func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			in := task(t, "services:\n  main:\n    environment:\n      V: '"+text+"'\n")
			for name, value := range vars {
				in.Vars[name] = value
			}
			if got := mainOf(t, in).Env["V"]; got != want {
				t.Errorf("got %q, compose gives %q", got, want)
			}
		})
	}
}

func TestEnvFilesAreReadAsComposeReadsThem(t *testing.T) {
	for _, text := range []string{
		"A=1\nB=2\n", "A = spaced \n", "export A=1", "A='single $X'\nB=\"double\"", "# note\n\nA=1 # note\nB=1#2", "A:yaml",
		"A=\"two\nlines\" # note\nB=1", "A=\"esc \\n \\t \\\" \\\\ \\$X \\q \\0101\"", "A='it\\'s \\n'", "A=", "A=\"\"", "A=1\nB=$A-${A}",
		"A=x\r\nB=y\r\n", "A.b-c=1", "A=\"a\"\nA=\"b\"", "A=a b c", "A=\"$$x\"", "A=$$x", "\ufeffA=1",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			want, err := dotenv.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			in := task(t, "services:\n  main:\n    env_file: a.env\n")
			write(t, filepath.Join(in.Dir, "a.env"), text)
			if diff := cmp.Diff(want, mainOf(t, in).Env); diff != "" {
				t.Errorf("-compose +got\n%s", diff)
			}
		})
	}
}

func TestWrongEnvFilesAreRefusedAtTheirLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
	}{
		{"a quote that is not closed", "A=1\nB=\"x\n", 2},
		{"a name with a space", "A=1\n\nB C=1\n", 3},
		{"a variable that is not declared", "A=1\nB=$NOWHERE\n", 2},
		{"values that double one another", "A=" + strings.Repeat("x", 1024) + strings.Repeat("\nA=$A$A", 30), 14},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := task(t, "services:\n  main:\n    env_file: a.env\n")
			path := filepath.Join(in.Dir, "a.env")
			write(t, path, c.text)
			_, _, err := stack.Convert(t.Context(), in)
			if want := fmt.Sprintf("%s:%d:1:", path, c.line); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want it at %s", err, want)
			}
		})
	}
}
