package images_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/images/internal/enginetest"
)

// busybox returns an engine that has busybox and labels for what is built on it.
func busybox(t *testing.T) (*client.Client, map[string]string) {
	t.Helper()
	c := enginetest.Client(t)
	enginetest.Busybox(t, c)
	return c, enginetest.Labels(t, c)
}

// once makes a Dockerfile that no build cache knows.
func once(dockerfile string) string { return dockerfile + "\n# " + rand.Text() + "\n" }

func TestBuild(t *testing.T) {
	c, labels := busybox(t)
	files := map[string]string{"hello.sh": "#!/bin/sh\necho hello\n", "secret.txt": "s", ".dockerignore": "*.txt\n"}
	tests := []struct {
		name       string
		dockerfile string
		change     func(*images.Request)
		run, says  string
	}{
		{
			name:       "heredocs and COPY --chmod work, and a syntax line needs no registry",
			dockerfile: "# syntax=docker/dockerfile:1.99\nFROM busybox\nRUN <<EOF\necho one >/a\necho two >>/a\nEOF\nCOPY --chmod=755 hello.sh /\n",
			run:        "cat /a; /hello.sh", says: "one\ntwo\nhello\n",
		},
		{
			name:       "what the ignore file names is not sent",
			dockerfile: "FROM busybox\nCOPY . /ctx/\n",
			run:        "ls -A /ctx", says: "Dockerfile\nhello.sh\n",
		},
		{
			name:       "arguments arrive",
			dockerfile: "FROM busybox\nARG WHO\nRUN echo $WHO >/who\n",
			change:     func(r *images.Request) { r.Args = map[string]string{"WHO": "me"} },
			run:        "cat /who", says: "me\n",
		},
		{
			name:       "a target ends the build early",
			dockerfile: "FROM busybox AS first\nRUN echo 1 >/n\nFROM first\nRUN false\n",
			change:     func(r *images.Request) { r.Target = "first" },
			run:        "cat /n", says: "1\n",
		},
		{
			name:       "files of another stage are copied",
			dockerfile: "FROM busybox AS first\nRUN echo 1 >/n\nFROM busybox\nCOPY --from=first --link /n /m\n",
			run:        "cat /m", says: "1\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files["Dockerfile"] = once(tt.dockerfile)
			r := images.Request{Context: write(t, files), Name: t.Name(), Labels: labels}
			if tt.change != nil {
				tt.change(&r)
			}
			img, err := images.New(c).Build(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := runIn(t, c, img.ID, tt.run); got != tt.says {
				t.Errorf("in the image: %q, want %q", got, tt.says)
			}
		})
	}
}

func TestBuildTellsTheImagesConfiguration(t *testing.T) {
	c, labels := busybox(t)
	img, err := images.New(c).Build(t.Context(), images.Request{
		Context: t.TempDir(), Labels: labels, Platform: "linux/amd64",
		Inline: once("FROM busybox\nENTRYPOINT [\"/bin/sh\"]\nCMD [\"-c\", \"true\"]\nENV A=1\nUSER 7\nWORKDIR /w\nVOLUME /v\nEXPOSE 80\nSTOPSIGNAL SIGINT\nHEALTHCHECK --interval=3s --retries=2 CMD true"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(img.Config.Entrypoint, img.Config.Cmd, img.Config.Env[len(img.Config.Env)-1], img.Config.User, img.Config.WorkingDir,
		img.Config.Volumes, img.Config.ExposedPorts, img.Config.StopSignal, *img.Config.Healthcheck, img.OS, img.Arch, img.Built)
	if want := "[/bin/sh] [-c true]A=17/w [/v] [80/tcp]SIGINT{[CMD-SHELL true] 3s 0s 0s 0s 2}linuxamd64true"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, value := range img.Config.Labels {
		if strings.Contains(value, "A=1") {
			t.Errorf("label %s holds %s", name, value)
		}
	}
}

func TestUnchangedIsOneQuestion(t *testing.T) {
	c, labels := busybox(t)
	r := images.Request{Context: write(t, map[string]string{"Dockerfile": once("FROM busybox\nCOPY a /"), "a": "1"}), Labels: labels}
	first, err := images.New(c).Build(t.Context(), r)
	if err != nil || !first.Built {
		t.Fatalf("%+v, %v", first, err)
	}
	counted, count := enginetest.Counting(t, c)
	again, err := images.New(counted).Build(t.Context(), r)
	if err != nil || again.Built || again.ID != first.ID || count() != 1 {
		t.Errorf("the second time: %d questions, %+v, %v", count(), again, err)
	}
	r.Force = true
	forced, err := images.New(c).Build(t.Context(), r)
	if err != nil || !forced.Built {
		t.Errorf("forced: %+v, %v", forced, err)
	}
}

func TestBuildFailures(t *testing.T) {
	c, labels := busybox(t)
	tests := []struct {
		name, dockerfile string
		want             images.BuildError
		lines            string
		says             string
	}{
		{
			name: "a failing step", dockerfile: "FROM busybox\n\nRUN for i in $(seq 30); do echo line $i; done; exit 7",
			want:  images.BuildError{Reason: images.StepExit, Line: 3, Step: "RUN for i in $(seq 30); do echo line $i; done; exit 7", ExitCode: 7},
			lines: "line 11 … line 30", says: "ended with exit code 7",
		},
		{
			name: "a failing step of a stage with a name", dockerfile: "FROM busybox AS b\nRUN <<EOF\nexit 3\nEOF",
			want: images.BuildError{Reason: images.StepExit, Line: 2, Step: "RUN <<EOF (exit 3)", ExitCode: 3}, says: "exit code 3",
		},
		{
			name: "a source that is not there", dockerfile: "FROM busybox\nCOPY not-there /x",
			want: images.BuildError{Reason: images.SourceGone, Line: 2, Step: "COPY not-there /x"}, says: "build context",
		},
		{
			name: "a source that is ignored", dockerfile: "FROM busybox\nCOPY a.log /x",
			want: images.BuildError{Reason: images.SourceGone, Line: 2, Step: "COPY a.log /x"}, says: ".dockerignore",
		},
		{
			name: "an unknown instruction", dockerfile: "FROM busybox\nFROG busybox",
			want: images.BuildError{Reason: images.SyntaxFault, Line: 2}, says: "FROG",
		},
		{
			name: "a base image that cannot be had", dockerfile: "FROM 127.0.0.1:1/none:1",
			want: images.BuildError{Reason: images.BaseGone, Line: 1, Base: "127.0.0.1:1/none:1"}, says: "127.0.0.1:1/none:1 is not on the engine",
		},
		{
			name: "an empty Dockerfile", dockerfile: "",
			want: images.BuildError{Reason: images.SyntaxFault}, says: "Dockerfile",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"Dockerfile": once(tt.dockerfile), "a.log": "", ".dockerignore": "*.log"})
			var log bytes.Buffer
			_, err := images.New(c).Build(t.Context(), images.Request{Context: dir, Labels: labels, Log: &log})
			var got *images.BuildError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want a BuildError", err)
			}
			if got.Reason != tt.want.Reason || got.Line != tt.want.Line || got.Step != tt.want.Step || got.ExitCode != tt.want.ExitCode || got.Base != tt.want.Base {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q does not say %q", err, tt.says)
			}
			if n := len(got.LastLines); tt.lines != "" && (n != 20 || got.LastLines[0]+" … "+got.LastLines[n-1] != tt.lines) {
				t.Errorf("last lines %q, want %s", got.LastLines, tt.lines)
			}
			if got.LastLines != nil && !strings.Contains(log.String(), got.LastLines[0]) {
				t.Errorf("the log lacks the step's output:\n%s", log.String())
			}
		})
	}
}

// dials counts the connections to BuildKit: one a build.
type dials struct {
	*client.Client
	grpc atomic.Int64
}

func (d *dials) DialHijack(ctx context.Context, url, proto string, meta map[string][]string) (net.Conn, error) {
	if url == "/grpc" {
		d.grpc.Add(1)
	}
	return d.Client.DialHijack(ctx, url, proto, meta)
}

func TestEightAtOnceBuildOnce(t *testing.T) {
	c, labels := busybox(t)
	engine := &dials{Client: c}
	store := images.New(engine)
	for _, tt := range []struct {
		name, dockerfile string
		fails            bool
	}{
		{name: "all get the one image", dockerfile: "FROM busybox\nRUN sleep 1; cat /proc/sys/kernel/random/uuid >/id"},
		{name: "all get the one failure", dockerfile: "FROM busybox\nRUN sleep 1; false", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine.grpc.Store(0)
			r := images.Request{Context: t.TempDir(), Inline: once(tt.dockerfile), Labels: labels}
			var got [8]images.Image
			var errs [8]error
			var all sync.WaitGroup
			for i := range got {
				all.Go(func() { got[i], errs[i] = store.Build(t.Context(), r) })
			}
			all.Wait()
			for i := range got {
				if (errs[i] != nil) != tt.fails || got[i].ID != got[0].ID || errs[i] != errs[0] { //nolint:errorlint // the very same one is meant
					t.Errorf("one got %s %v, another %s %v", got[0].ID, errs[0], got[i].ID, errs[i])
				}
			}
			if n := engine.grpc.Load(); n != 1 {
				t.Errorf("%d builds", n)
			}
		})
	}
}

func TestTwoProcessesBuildOnce(t *testing.T) {
	if dir := os.Getenv("SEATRIAL_TEST_BUILD_IN"); dir != "" {
		img, err := images.New(enginetest.Client(t)).Build(t.Context(), images.Request{Context: dir, Labels: map[string]string{enginetest.Label: t.Name()}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("outcome %v %s\n", img.Built, img.ID)
		return
	}
	busybox(t)
	dir := write(t, map[string]string{"Dockerfile": once("FROM busybox\nRUN sleep 1; cat /proc/sys/kernel/random/uuid >/id")})
	var out [2][]byte
	var all sync.WaitGroup
	for i := range out {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesBuildOnce$", "-test.v")
			cmd.Env = append(os.Environ(), "SEATRIAL_TEST_BUILD_IN="+dir)
			out[i], _ = cmd.CombinedOutput()
		})
	}
	all.Wait()
	var built, ids []string
	for _, text := range out {
		_, outcome, _ := bytes.Cut(text, []byte("outcome "))
		words := strings.Fields(string(outcome))
		if len(words) < 2 {
			t.Fatalf("a process failed:\n%s", text)
		}
		built, ids = append(built, words[0]), append(ids, words[1])
	}
	if ids[0] != ids[1] || built[0] == built[1] {
		t.Errorf("built: %v, ids: %v; want one build and one image", built, ids)
	}
}

func TestCancelEndsTheBuildOnTheEngine(t *testing.T) {
	c, labels := busybox(t)
	mark := fmt.Sprint(100000 + time.Now().UnixNano()%800000)
	reason := errors.New("the build's limit")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	began := func(e images.Event) {
		if e.Kind == images.StepStarted && strings.Contains(e.Step, "RUN") {
			go func() { // when the step's command really runs
				waitFor(t, func() bool { return running(t, c, mark) })
				cancel(reason)
			}()
		}
	}
	start := time.Now()
	_, err := images.New(c).Build(ctx, images.Request{
		Context: t.TempDir(), Inline: "FROM busybox\nRUN sleep " + mark, Labels: labels, Progress: began,
	})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the reason of the cancel", err)
	}
	waitFor(t, func() bool { return !running(t, c, mark) })
	t.Logf("it took %v in all", time.Since(start))
}

func TestARegistryThatHangsDoesNotOutlastTheLimit(t *testing.T) {
	c, labels := busybox(t)
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, do := range map[string]func(context.Context, string) error{
		"a pull": func(ctx context.Context, ref string) error {
			_, err := images.New(c).Take(ctx, images.Wanted{Ref: ref})
			return err
		},
		"a build": func(ctx context.Context, ref string) error {
			_, err := images.New(c).Build(ctx, images.Request{Context: t.TempDir(), Inline: "FROM " + ref, Labels: labels})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			limit := errors.New("the limit")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, limit)
			defer cancel()
			start := time.Now()
			err := do(ctx, silent.Addr().String()+"/none:1")
			var pull *images.PullError
			var build *images.BuildError
			if !errors.Is(err, limit) && !errors.As(err, &pull) && !errors.As(err, &build) { // the latter two where the engine does not see this host's loopback
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > 7*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for !is() {
		if time.Now().After(end) {
			t.Error("it did not come about in 20 s")
			return
		}
	}
}

// running tells whether the engine's machine runs a sleep of so many seconds.
func running(t *testing.T, c *client.Client, mark string) bool {
	t.Helper()
	return strings.Contains(runWith(t, c, "busybox", "ps -o args", &container.HostConfig{PidMode: "host"}), "sleep "+mark)
}

func runIn(t *testing.T, c *client.Client, ref, script string) string {
	t.Helper()
	return runWith(t, c, ref, script, nil)
}

func runWith(t *testing.T, c *client.Client, ref, script string, host *container.HostConfig) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	created, err := c.ContainerCreate(ctx, &container.Config{Image: ref, Entrypoint: []string{"sh", "-c", script}}, host, nil, nil, "")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() {
		if err := c.ContainerRemove(ctx, created.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}()
	if err := c.ContainerStart(ctx, created.ID, container.StartOptions{}); err != nil {
		t.Error(err)
		return ""
	}
	lines, err := c.ContainerLogs(ctx, created.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer lines.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, lines); err != nil {
		t.Error(err)
	}
	return out.String()
}
