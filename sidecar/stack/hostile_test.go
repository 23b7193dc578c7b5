package stack_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar/stack"
)

func TestHostileFilesAreRefused(t *testing.T) {
	bomb := "x-a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for i := 'b'; i <= 'h'; i++ {
		bomb += fmt.Sprintf("x-%c: &%c [%s]\n", i, i, strings.Repeat("*"+string(i-1)+", ", 9))
	}
	for _, c := range []struct{ name, compose, want string }{
		{"aliases that multiply", bomb + "services:\n  main:\n    command: [*h]\n", "too large or too deep"},
		{"an alias inside itself", "services:\n  main: &m\n    command: &c [*c]\n", "too large or too deep"},
		{"merge keys inside themselves", "services:\n  main: &m\n    <<: *m\n", ""},
		{"very deep nesting", "services:\n  main:\n    command: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", "too deep"},
		{"variables that multiply", "services:\n  main:\n    command: '" + strings.Repeat("${BIG}", 1000) + "'\n", "too long"},
		{"two documents", "services: {}\n---\nservices: {}\n", "more than one YAML document"},
		{"a list", "- a\n", "not a mapping"},
		{"services that are a list", "services: [main]\n", "services"},
		{"main that is a text", "services: {main: hello}\n", "main"},
		{"no finite number", "services: {main: {cpus: .inf}}\n", "finite"},
		{"a terminal escape in a key", "services: {main: {\"a\\e[2J\": 1}}\n", "a?[2J"},
		{"a default nested too deep", "services: {main: {user: '" + strings.Repeat("${NO:-", 50) + strings.Repeat("}", 50) + "'}}\n", "nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := task(t, c.compose)
			in.Vars["BIG"] = strings.Repeat("x", 100_000)
			_, _, err := stack.Convert(t.Context(), in)
			problems := (*stack.ProblemsError)(nil)
			if c.want != "" && (!errors.As(err, &problems) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want a ProblemsError with %q", err, c.want)
			}
		})
	}
}

func TestFilesOutsideTheTaskAreNotRead(t *testing.T) {
	const canary = "CANARY=read-from-outside"
	for _, c := range []struct {
		name, compose string
		link          string // in environment/, leading to the file outside
	}{
		{"the compose file is a link", "", "docker-compose.yaml"},
		{"the .env file is a link", "services: {main: {environment: {A: \"${CANARY-unset}\"}}}\n", ".env"},
		{"an env file is a link", "services: {main: {env_file: l.env}}\n", "l.env"},
		{"an env file is given by its way out", "services: {main: {env_file: ../../outside}}\n", ""},
		{"an env file is given by its full path", "services: {main: {env_file: OUTSIDE}}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := task(t, "")
			outside := filepath.Join(filepath.Dir(in.TaskDir), "outside")
			write(t, outside, canary)
			write(t, in.File, strings.ReplaceAll(c.compose, "OUTSIDE", outside))
			if c.link != "" {
				_ = os.Remove(filepath.Join(in.Dir, c.link))
				if err := os.Symlink(outside, filepath.Join(in.Dir, c.link)); err != nil {
					t.Fatal(err)
				}
			}
			spec, _, err := stack.Convert(t.Context(), in)
			if err == nil {
				t.Fatalf("accepted:\n%s", spec)
			}
			if strings.Contains(err.Error(), "read-from-outside") {
				t.Errorf("the error shows the file: %v", err)
			}
		})
	}
}
