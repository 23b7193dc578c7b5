package stack_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// outName is the file of an archive that holds what Convert is expected to give.
const outName = "out"

var update = flag.Bool("update", false, "rewrite the golden files")

// Every archive is one task: options in its comment, files, and what comes of them. See option for the options.
func TestConvertGivesTheGoldenStack(t *testing.T) {
	archives, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no golden archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".txtar"), "-", " "), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := inputOf(t, archive)
			got := converted(t, in)
			want := ""
			kept := archive.Files[:0]
			for _, f := range archive.Files {
				if f.Name == outName {
					want = string(f.Data)
				} else {
					kept = append(kept, f)
				}
			}
			if *update {
				archive.Files = append(kept, txtar.File{Name: outName, Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got; run with -update to accept:\n%s", diff)
			}
		})
	}
}

// converted prints what Convert gives, with the task's folder as TASK.
func converted(t *testing.T, in stack.Input) string {
	t.Helper()
	spec, warnings, err := stack.Convert(t.Context(), in)
	var b strings.Builder
	if spec != nil {
		b.WriteString(spec.String())
	}
	for _, w := range warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if problems := (*stack.ProblemsError)(nil); errors.As(err, &problems) {
		for _, p := range problems.Problems {
			fmt.Fprintf(&b, "error: %s\n", p)
		}
	} else if err != nil {
		t.Fatalf("not a ProblemsError: %v", err)
	}
	text := strings.ReplaceAll(b.String(), in.TaskDir, "TASK")
	return strings.ReplaceAll(text, filepath.Dir(in.TaskDir), "ABOVE")
}

// inputOf lays an archive's files out as a task and reads its options.
func inputOf(t *testing.T, archive *txtar.Archive) stack.Input {
	t.Helper()
	task := filepath.Join(t.TempDir(), "task")
	env := filepath.Join(task, "environment")
	if err := os.MkdirAll(env, 0o755); err != nil {
		t.Fatal(err)
	}
	in := input(task)
	for _, f := range archive.Files {
		if f.Name == outName {
			continue
		}
		path := filepath.Join(task, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(env, "docker-compose.yaml")); err == nil {
		in.File = filepath.Join(env, "docker-compose.yaml")
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			option(t, &in, line)
		}
	}
	return in
}

// input is what the caller of Convert gives for a task in the folder.
func input(task string) stack.Input {
	env := filepath.Join(task, "environment")
	return stack.Input{
		Dir: env, TaskDir: task, Secrets: map[string]bool{}, MainEnv: map[string]string{}, Allow: stack.Allow{},
		Vars: map[string]string{
			"MAIN_IMAGE_NAME": "hb__task", "CONTEXT_DIR": env, "COMPOSE_PROJECT_NAME": "trial7", "CPUS": "1",
			"MEMORY": "2048M", "TEST_DIR": "/tests", "NETWORK_MODE": "bridge",
			"HOST_AGENT_LOGS_PATH": "/.trial/agent", "ENV_AGENT_LOGS_PATH": "/logs/agent",
			"HOST_VERIFIER_LOGS_PATH": "/.trial/verifier", "ENV_VERIFIER_LOGS_PATH": "/logs/verifier",
			"HOST_ARTIFACTS_PATH": "/.trial/artifacts", "ENV_ARTIFACTS_PATH": "/logs/artifacts",
		},
		LogPaths: map[string]string{
			"/.trial/agent": "agent", "/.trial/verifier": "verifier", "/.trial/artifacts": "artifacts",
		},
	}
}

// option carries out one line of an archive's comment.
func option(t *testing.T, in *stack.Input, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	name, value, _ := strings.Cut(rest, "=")
	switch word {
	case "no-network":
		in.NoNetwork = true
	case "built":
		in.MainBuilt = true
	case "image":
		in.MainImage = rest
	case "workdir":
		in.Workdir = rest
	case "allow":
		in.Allow[stack.Permission(rest)] = true
	case "var":
		in.Vars[name] = value
	case "secret":
		in.Vars[name], in.Secrets[name] = value, true
	case "main-env":
		in.MainEnv[name] = value
	case "host-has":
		in.HostHas = func(name string) bool { return name == rest }
	case "host-allowed":
		in.HostAllowed = func(n string) (string, bool) { return value, n == name }
	case "cpus":
		in.CPUs = number(t, rest)
	case "memory":
		in.Memory = int64(number(t, rest))
	case "link":
		from, to, _ := strings.Cut(rest, " ")
		if err := os.Symlink(to, filepath.Join(in.TaskDir, from)); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("unknown option %q", line)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
