package images_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seatrial/seatrial/images"
)

var epoch = time.Unix(1, 0)

// write makes a folder of files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(path), 0o755); err != nil { // whatever the umask
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDigest(t *testing.T) {
	files := map[string]string{"Dockerfile": "FROM a\nCOPY . /\n", "a.txt": "one", "sub/b.txt": "two", "skip.log": "x", ".dockerignore": "*.log\n"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		change func(dir string, r *images.Request)
		same   bool
	}{
		{name: "nothing changed", change: func(string, *images.Request) {}, same: true},
		{name: "a time changed", same: true, change: func(dir string, _ *images.Request) {
			must(os.Chtimes(filepath.Join(dir, "a.txt"), epoch, epoch))
		}},
		{name: "an ignored file changed", same: true, change: func(dir string, _ *images.Request) {
			must(os.WriteFile(filepath.Join(dir, "skip.log"), []byte("y"), 0o644))
		}},
		{name: "the name hint changed", same: true, change: func(_ string, r *images.Request) { r.Name = "other" }},
		{name: "a file changed", change: func(dir string, _ *images.Request) {
			must(os.WriteFile(filepath.Join(dir, "a.txt"), []byte("eno"), 0o644))
		}},
		{name: "a file got another name", change: func(dir string, _ *images.Request) {
			must(os.Rename(filepath.Join(dir, "a.txt"), filepath.Join(dir, "c.txt")))
		}},
		{name: "a file became executable", change: func(dir string, _ *images.Request) {
			must(os.Chmod(filepath.Join(dir, "a.txt"), 0o755))
		}},
		{name: "an empty folder came", change: func(dir string, _ *images.Request) {
			must(os.Mkdir(filepath.Join(dir, "empty"), 0o755))
		}},
		{name: "a file became a link", change: func(dir string, _ *images.Request) {
			must(os.Remove(filepath.Join(dir, "a.txt")))
			must(os.Symlink("sub/b.txt", filepath.Join(dir, "a.txt")))
		}},
		{name: "the ignore file lets a file through", change: func(dir string, _ *images.Request) {
			must(os.WriteFile(filepath.Join(dir, ".dockerignore"), []byte("*.log\n!skip.log\n"), 0o644))
		}},
		{name: "an ignore file of the Dockerfile's own came", change: func(dir string, _ *images.Request) {
			must(os.WriteFile(filepath.Join(dir, "Dockerfile.dockerignore"), []byte("sub\n"), 0o644))
		}},
		{name: "the Dockerfile changed", change: func(dir string, _ *images.Request) {
			must(os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte("FROM b\nCOPY . /\n"), 0o644))
		}},
		{name: "an argument came", change: func(_ string, r *images.Request) { r.Args = map[string]string{"A": "1"} }},
		{name: "a label came", change: func(_ string, r *images.Request) { r.Labels = map[string]string{"A": "1"} }},
		{name: "a target came", change: func(_ string, r *images.Request) { r.Target = "x" }},
		{name: "a network came", change: func(_ string, r *images.Request) { r.Network = "none" }},
		{name: "a platform came", change: func(_ string, r *images.Request) { r.Platform = "linux/arm64" }},
		{name: "the text is given instead of the file", change: func(_ string, r *images.Request) { r.Inline = "FROM b" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := images.Request{Context: write(t, files)}
			before, err := images.Digest(t.Context(), r)
			must(err)
			tt.change(r.Context, &r)
			after, err := images.Digest(t.Context(), r)
			must(err)
			if (before == after) != tt.same {
				t.Errorf("before %s, after %s, want the same: %v", before, after, tt.same)
			}
		})
	}
}

func TestDigestIsTheSameEverywhere(t *testing.T) {
	got, err := images.Digest(t.Context(), images.Request{
		Context: write(t, map[string]string{"Dockerfile": "FROM scratch\n", "d/a": "1"}), Args: map[string]string{"B": "2", "A": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha256:d80737e4db92862b0eebc7a81dd10ddbe20f287562dd50bc3f6a9596f109e058"
	if got != want {
		t.Errorf("got %s, want %s: a new way of reckoning it needs a new format version", got, want)
	}
}

func TestContextFaults(t *testing.T) {
	outside := write(t, map[string]string{"secret": "FROM secret\n"})
	tests := []struct {
		name    string
		request func(dir string) images.Request
		is      error
	}{
		{name: "no folder", request: func(dir string) images.Request { return images.Request{Context: dir + "/none"} }, is: fs.ErrNotExist},
		{name: "no Dockerfile", request: func(dir string) images.Request { return images.Request{Context: dir} }, is: fs.ErrNotExist},
		{name: "the Dockerfile is a folder", request: func(dir string) images.Request { return images.Request{Context: dir, Dockerfile: "sub"} }},
		{name: "the Dockerfile is a link to the outside", request: func(dir string) images.Request {
			if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			return images.Request{Context: dir, Dockerfile: "link"}
		}},
		{name: "the Dockerfile is outside and a link", request: func(dir string) images.Request {
			if err := os.Symlink("secret", filepath.Join(outside, "link")); err != nil {
				t.Fatal(err)
			}
			return images.Request{Context: dir, Dockerfile: filepath.Join(outside, "link")}
		}},
		{name: "the ignore file has a wrong pattern", request: func(dir string) images.Request {
			if err := os.WriteFile(filepath.Join(dir, ".dockerignore"), []byte("[\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			return images.Request{Context: dir, Inline: "FROM scratch"}
		}},
		{name: "the Dockerfile is huge", request: func(dir string) images.Request {
			if err := os.WriteFile(filepath.Join(dir, "huge"), make([]byte, 2<<20), 0o644); err != nil {
				t.Fatal(err)
			}
			return images.Request{Context: dir, Dockerfile: "huge"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := images.Digest(t.Context(), tt.request(write(t, map[string]string{"sub/file": "x"})))
			var fault *images.ContextError
			if !errors.As(err, &fault) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v, want a ContextError", err)
			}
		})
	}
}

func TestDigestTakesADockerfileBesideTheContext(t *testing.T) {
	dir := write(t, map[string]string{"ctx/a": "1", "Dockerfile.b": "FROM a\n"})
	ctx := filepath.Join(dir, "ctx")
	beside, err := images.Digest(t.Context(), images.Request{Context: ctx, Dockerfile: "../Dockerfile.b"})
	if err != nil {
		t.Fatal(err)
	}
	inline, err := images.Digest(t.Context(), images.Request{Context: ctx, Inline: "FROM a\n"})
	if err != nil || beside != inline {
		t.Errorf("the same text gives %s and %s (%v)", beside, inline, err)
	}
}
