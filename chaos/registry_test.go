package chaos_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/internal/registrystub"
)

func registry(t *testing.T, m registrystub.Mood) *registrystub.Registry {
	t.Helper()
	r, err := registrystub.New(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// needLoopback ends a test whose engine does not see this machine's loopback interface. Where an engine is promised, it must.
func needLoopback(t *testing.T) {
	t.Helper()
	need(t)
	r := registry(t, registrystub.Mood{Status: 404})
	if rc, err := shared.engine.ImagePull(t.Context(), r.Ref("seen"), image.PullOptions{}); err == nil {
		_ = rc.Close()
	}
	if r.Requests() > 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the engine does not see this machine's loopback interface")
	}
	t.Skip("the engine does not see this machine's loopback interface")
}

func TestPulls(t *testing.T) {
	needLoopback(t)
	for _, c := range []struct {
		name   string
		mood   registrystub.Mood
		reason images.PullReason // empty = it comes
		within time.Duration
	}{
		{"a registry in a good mood", registrystub.Mood{}, "", 10 * time.Second},
		{"one that has no such image", registrystub.Mood{Status: 404}, images.NotFound, 10 * time.Second},
		{"one that wants a login", registrystub.Mood{Status: 401}, images.Denied, 10 * time.Second},
		{"one that limits its rate for a while", registrystub.Mood{Status: 429, Times: 2, RetryAfter: time.Second}, "", 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ref := registry(t, c.mood).Ref("pulled")
			began := time.Now()
			img, err := images.New(shared.engine).Take(t.Context(), images.Wanted{Ref: ref})
			if took := time.Since(began); took > c.within {
				t.Errorf("it took %s", took)
			}
			if c.reason == "" {
				if err != nil || !img.Pulled || img.ID == "" {
					t.Fatalf("%+v, %v", img, err)
				}
				if _, err := shared.engine.ImageRemove(t.Context(), img.ID, image.RemoveOptions{Force: true}); err != nil {
					t.Error(err)
				}
				return
			}
			var fault *images.PullError
			if !errors.As(err, &fault) || fault.Reason != c.reason {
				t.Errorf("got %v, want %s", err, c.reason)
			}
		})
	}
}

// TestRunsWhoseImagesDoNotCome has tasks with images that a registry keeps to itself, between tasks that work.
func TestRunsWhoseImagesDoNotCome(t *testing.T) {
	needLoopback(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		mood registrystub.Mood
		code string
	}{
		{"a registry that hangs", registrystub.Mood{Hang: true}, "setup_timeout"},
		{"one that limits its rate for longer than there is time", registrystub.Mood{Status: 429}, "setup_timeout"},
		{"one that resets connections", registrystub.Mood{Reset: true}, "setup_failed"},
		{"one that fails", registrystub.Mood{Status: 500}, "setup_failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defer slot()()
			dir := t.TempDir()
			for i, ref := range []string{"", registry(t, c.mood).Ref("kept"), ""} {
				variant(t, filepath.Join(dir, fmt.Sprintf("t%d", i)), fmt.Sprintf("case-%d", i), ref)
			}
			j := begin(t, nil, dir, "--build-timeout", "6s")
			j.end(t, 40*time.Second)
			r := j.record(t)
			if r == nil || len(r.Cases) != 3 {
				t.Fatalf("want three cases: %s", j.log.String())
			}
			for i, k := range r.Cases {
				switch {
				case i == 1 && (k.Error == nil || k.Error.Code != c.code || k.Error.Phase != "setup"):
					t.Errorf("want %s: %s", c.code, j.log.String())
				case i != 1 && (k.Score == nil || *k.Score != 1):
					t.Errorf("a neighbour has suffered: %s", j.log.String())
				}
			}
			gone(t, j.id, time.Second)
		})
	}
}

// variant copies the lone task under another name, and with a prebuilt image unless ref is empty.
func variant(t *testing.T, dir, name, ref string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(task("lone"))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "task.toml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`case = "lone"`, fmt.Sprintf("case = %q", name), "seatrial/chaos-lone", "seatrial/chaos-"+name).Replace(string(data))
	if ref != "" {
		text += fmt.Sprintf("docker_image = %q\n", ref)
		if err := os.Remove(filepath.Join(dir, "environment", "Dockerfile")); err != nil {
			t.Fatal(err)
		}
	}
	for path, data := range map[string]string{"task.toml": text} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range []string{"solution/solve.sh", "tests/test.sh"} {
		if err := os.Chmod(filepath.Join(dir, script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
