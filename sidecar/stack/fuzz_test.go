package stack_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// FuzzConvert holds for every compose file and env file: no panic, a stack with main or problems, no secret and nothing
// from outside the task's folder in any text, and nothing that needs a permission.
func FuzzConvert(f *testing.F) {
	archives, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var compose, env []byte
		for _, file := range archive.Files {
			switch {
			case file.Name == "environment/docker-compose.yaml":
				compose = file.Data
			case strings.HasSuffix(file.Name, ".env"):
				env = file.Data
			}
		}
		f.Add(compose, env, strings.Contains(string(archive.Comment), "no-network"))
	}
	f.Add([]byte("services: {main: {env_file: [a.env, link.env, ../../outside], volumes: ['./link.env:/x:ro', '~/x:/y']}}"), []byte("A=\"$TOKEN"), true)

	above := f.TempDir()
	in := input(filepath.Join(above, "task"))
	in.File = filepath.Join(in.Dir, "docker-compose.yaml")
	in.Vars["TOKEN"], in.Secrets["TOKEN"] = "sk-31337-secret", true
	write(f, filepath.Join(above, "outside"), "CANARY=read-from-outside\n")
	write(f, in.File, "")
	if err := os.Symlink("../../outside", filepath.Join(in.Dir, "link.env")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, compose, env []byte, noNetwork bool) {
		write(t, in.File, string(compose))
		write(t, filepath.Join(in.Dir, "a.env"), string(env))
		write(t, filepath.Join(in.Dir, ".env"), string(env))
		in := in
		in.NoNetwork = noNetwork
		spec, _, err := stack.Convert(t.Context(), in)
		if err != nil {
			if problems := (*stack.ProblemsError)(nil); !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("not a ProblemsError with problems: %v", err)
			}
			if strings.Contains(err.Error(), "read-from-outside") {
				t.Fatalf("a file from outside is in the error: %v", err)
			}
			return
		}
		text := spec.String()
		if strings.Contains(text, "sk-31337-secret") || strings.Contains(text, "read-from-outside") {
			t.Fatalf("a secret is in the print:\n%s", text)
		}
		harmless(t, in, spec)
	})
}

// harmless fails when the stack has something that needs a permission.
func harmless(t *testing.T, in stack.Input, spec *stack.Spec) {
	t.Helper()
	mains := 0
	for _, s := range spec.Services {
		if s.Name == stack.Main {
			mains++
		}
		if s.Privileged || s.PidMode+s.IpcMode+s.UTSMode+s.UsernsMode+s.CgroupMode+s.CgroupParent != "" ||
			len(s.Devices)+len(s.DeviceCgroupRules) > 0 || s.NetworkMode == "host" {
			t.Fatalf("%s reaches the host:\n%s", s.Name, spec)
		}
		for _, m := range s.Mounts {
			if m.Type == stack.MountBind && (!m.ReadOnly || m.Source != in.TaskDir && !strings.HasPrefix(m.Source, in.TaskDir+"/")) {
				t.Fatalf("%s binds %s:\n%s", s.Name, m.Source, spec)
			}
		}
	}
	if mains != 1 {
		t.Fatalf("%d services are main:\n%s", mains, spec)
	}
}
