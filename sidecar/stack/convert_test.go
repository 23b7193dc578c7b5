package stack_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// task lays out a task with the compose file and gives the input for it.
func task(t testing.TB, compose string) stack.Input {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "task")
	in := input(dir)
	in.File = filepath.Join(in.Dir, "docker-compose.yaml")
	write(t, in.File, compose)
	return in
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// mainOf converts and gives the service main.

func mainOf(t testing.TB, in stack.Input) stack.Service {
	t.Helper()
	spec, _, err := stack.Convert(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spec.Services {
		if s.Name == stack.Main {
			return s
		}
	}
	t.Fatal("no main")
	return stack.Service{}
}

func TestErrorsCanBeAskedForByType(t *testing.T) {
	in := task(t, "services:\n  main:\n    imagee: x\n    privileged: true\n    restart: never\n    dns: nowhere\n")
	_, _, err := stack.Convert(t.Context(), in)

	unsupported := (*stack.UnsupportedError)(nil)
	if !errors.As(err, &unsupported) || unsupported.Nearest != "image" {
		t.Errorf("got %v, want an unknown key near image", err)
	}
	want := stack.Place{File: in.File, Line: 3, Column: 5, Service: "main", Key: "imagee"}
	if diff := cmp.Diff(want, unsupported.Place); diff != "" {
		t.Errorf("place: -want +got\n%s", diff)
	}
	refused := (*stack.NotAllowedError)(nil)
	if !errors.As(err, &refused) || refused.Permission != stack.AllowPrivileged {
		t.Errorf("got %v, want privileged refused", err)
	}
	if invalid := (*stack.InvalidError)(nil); !errors.As(err, &invalid) || invalid.Place.Key != "dns" {
		t.Errorf("got %v, want dns invalid", err)
	}
}

func TestAVariableThatIsNotDeclaredIsNamed(t *testing.T) {
	in := task(t, "services:\n  main:\n    environment:\n      - A=${SECRET_X}\n")
	in.HostHas = func(string) bool { return true }
	_, _, err := stack.Convert(t.Context(), in)
	missing := (*stack.VariableError)(nil)
	if !errors.As(err, &missing) || missing.Name != "SECRET_X" || !missing.OnHost || missing.Place.Line != 4 {
		t.Errorf("got %#v (%v)", missing, err)
	}
}

func TestNothingOfTheCallersEnvironmentIsRead(t *testing.T) {
	for _, name := range []string{"COMPOSE_PROJECT_NAME", "COMPOSE_FILE", "COMPOSE_PROFILES", "COMPOSE_ENV_FILES", "HIDDEN"} {
		t.Setenv(name, "from-the-host")
	}
	t.Chdir(t.TempDir())
	write(t, ".env", "HIDDEN=from-the-working-folder\n")
	in := task(t, `
services:
  main:
    environment: {P: "${COMPOSE_PROJECT_NAME}", H: "${HIDDEN-unset}", HIDDEN: }
  extra:
    image: busybox
    profiles: [from-the-host]
`)
	spec, _, err := stack.Convert(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Services) != 1 {
		t.Errorf("a profile of the host started a service:\n%s", spec)
	}
	if diff := cmp.Diff(map[string]string{"P": "trial7", "H": "unset"}, spec.Services[0].Env); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestValuesOfTheTaskAreExact(t *testing.T) {
	for _, value := range []string{"a$b", "a$$b", "a$HOME", "${X:-y}", "end$", "'quoted'", "#hash", "two words", "a=b", "", "tab\t", "line\nline"} {
		t.Run(fmt.Sprintf("%q reaches main and sidecar unchanged", value), func(t *testing.T) {
			in := task(t, "services:\n  side:\n    image: busybox\n    environment: [V]\n  main:\n    environment:\n      W: \"${V}\"\n      V: other\n")
			in.Vars["V"] = value
			in.MainEnv["V"] = value
			spec, _, err := stack.Convert(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			want := []map[string]string{{"V": value, "W": value}, {"V": value}}
			if diff := cmp.Diff(want, []map[string]string{spec.Services[0].Env, spec.Services[1].Env}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestAFolderWithAColonOrSpaceCanBeMounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a:b c")
	in := input(dir)
	in.File = filepath.Join(in.Dir, "docker-compose.yaml")
	write(t, in.File, "services:\n  main:\n    volumes: [\"${CONTEXT_DIR}/data:/data:ro\", \"./data:/again:ro\"]\n")
	write(t, filepath.Join(in.Dir, "data", "f"), "x")
	source := filepath.Join(in.Dir, "data")
	want := []stack.Mount{
		{Type: stack.MountBind, Source: source, Target: "/data", ReadOnly: true},
		{Type: stack.MountBind, Source: source, Target: "/again", ReadOnly: true},
	}
	if diff := cmp.Diff(want, mainOf(t, in).Mounts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAGivenContextEndsConvert(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := stack.Convert(ctx, task(t, "services: {main: {}}\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestParseAllow(t *testing.T) {
	allow, err := stack.ParseAllow([]string{"privileged", "host-network"})
	if diff := cmp.Diff(stack.Allow{stack.AllowPrivileged: true, stack.AllowHostNetwork: true}, allow); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	_, err = stack.ParseAllow([]string{"privilegd"})
	unknown := (*stack.UnknownPermissionError)(nil)
	if !errors.As(err, &unknown) || unknown.Nearest != "privileged" {
		t.Errorf("got %v", err)
	}
	if _, err := stack.ParseAllow([]string{"xyz"}); err == nil || !strings.Contains(err.Error(), "writable-binds") {
		t.Errorf("got %v, want all names listed", err)
	}
}
