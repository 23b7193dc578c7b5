package images_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/images/internal/enginetest"
)

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
			run:        "ls -A /ctx", says: ".dockerignore\nDockerfile\nhello.sh\n",
		},
		{
			name:       "arguments arrive",
			dockerfile: "FROM busybox\nARG WHO\nRUN echo $WHO >/who\n",
			change:     func(r *images.Request) { r.Args = map[string]string{"WHO": "me"} },
			run:        "cat /who", says: "me\n",
		},
		{
			name:       "steps can be kept off the network",
			dockerfile: "FROM busybox\nRUN ip route | wc -l >/routes\n",
			change:     func(r *images.Request) { r.Network = "none" },
			run:        "cat /routes", says: "0\n",
		},
		{
			name:       "an argument cannot bring another frontend in",
			dockerfile: "FROM busybox\nRUN echo built >/a\n",
			change:     func(r *images.Request) { r.Args = map[string]string{"BUILDKIT_SYNTAX": "127.0.0.1:1/x"} },
			run:        "cat /a", says: "built\n",
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
