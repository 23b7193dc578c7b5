package images_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/images/internal/enginetest"
)

func TestAContextThatChangesMeanwhileIsNotBuilt(t *testing.T) {
	c := enginetest.Client(t)
	dir := write(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY a /\n", "a": "1"})
	change := func(string) { // while the engine is asked whether it has the image
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("2"), 0o644); err != nil {
			t.Error(err)
		}
	}
	_, err := images.New(&inspectHook{Engine: c, hook: change}).Build(t.Context(), images.Request{Context: dir, Labels: enginetest.Labels(t, c)})
	var fault *images.ContextError
	if !errors.As(err, &fault) {
		t.Errorf("got %v, want a ContextError", err)
	}
}

func TestLinksInTheContextStayLinks(t *testing.T) {
	c, labels := busybox(t)
	secret := write(t, map[string]string{"secret": "host"})
	dir := write(t, map[string]string{"Dockerfile": once("FROM busybox\nCOPY . /ctx/")})
	for name, target := range map[string]string{"out": filepath.Join(secret, "secret"), "up": "../../etc/hostname", "dir": secret} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	img, err := images.New(c).Build(t.Context(), images.Request{Context: dir, Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := runIn(t, c, img.ID, "cd /ctx; readlink out; readlink up; readlink dir"), filepath.Join(secret, "secret")+"\n../../etc/hostname\n"+secret+"\n"; got != want {
		t.Errorf("in the image %q, want %q", got, want)
	}
}

func TestWhatIsNoFileIsNotWaitedFor(t *testing.T) {
	dir := write(t, map[string]string{"Dockerfile": "FROM scratch\n"})
	if err := makeFIFO(filepath.Join(dir, "pipe")); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if _, err := images.Digest(t.Context(), images.Request{Context: dir}); err != nil {
		t.Error(err)
	}
	var fault *images.ContextError
	if _, err := images.Digest(t.Context(), images.Request{Context: dir, Dockerfile: "pipe"}); !errors.As(err, &fault) {
		t.Errorf("a pipe as Dockerfile: got %v", err)
	}
}
