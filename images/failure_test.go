package images_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/images"
)

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
			want: images.BuildError{Reason: images.SyntaxFault, Line: 2}, says: "file with no instructions",
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
