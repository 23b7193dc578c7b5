package images_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/client"

	"github.com/seatrial/seatrial/images"
)

func vertex(name string, seconds float64, failure string) *client.Vertex {
	start := time.Unix(100, 0)
	v := &client.Vertex{Digest: "sha256:1", Name: name, Started: &start, Error: failure}
	if seconds >= 0 {
		end := start.Add(time.Duration(seconds * float64(time.Second)))
		v.Completed = &end
	}
	return v
}

func output(text string) *client.SolveStatus {
	return &client.SolveStatus{Logs: []*client.VertexLog{{Vertex: "sha256:1", Data: []byte(text)}}}
}

func TestPlainLog(t *testing.T) {
	at := func(v *client.Vertex) *client.SolveStatus { return &client.SolveStatus{Vertexes: []*client.Vertex{v}} }
	cached := vertex("[1/1] RUN x", 0, "")
	cached.Cached = true
	tests := []struct {
		name   string
		status []*client.SolveStatus
		want   string
		kinds  string
	}{
		{
			name:   "output in pieces comes as lines",
			status: []*client.SolveStatus{at(vertex("[1/1] RUN x", -1, "")), output("on"), output("e\r\ntwo"), at(vertex("[1/1] RUN x", 1.5, ""))},
			want:   "#1 [1/1] RUN x\n#1 one\n#1 two\n#1 DONE 1.5s\n", kinds: "started done",
		},
		{
			name:   "a step that starts and ends at once is told as both",
			status: []*client.SolveStatus{at(cached), at(cached)},
			want:   "#1 [1/1] RUN x\n#1 [1/1] RUN x: CACHED\n", kinds: "started cached",
		},
		{
			name:   "a failure is told once",
			status: []*client.SolveStatus{output("last words\n"), at(vertex("[1/1] RUN x", 0, "boom")), at(vertex("[1/1] RUN x", 0, "boom"))},
			want:   "#1 last words\n#1 [1/1] RUN x\n#1 ERROR: boom\n", kinds: "started failed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			events, _ := images.PlainLog(&log, tt.status...)
			if diff := cmp.Diff(tt.want, log.String()); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			var kinds []string
			for _, e := range events {
				kinds = append(kinds, string(e.Kind))
			}
			if got := strings.Join(kinds, " "); got != tt.kinds {
				t.Errorf("events %q, want %q", got, tt.kinds)
			}
		})
	}
}

func FuzzPlainLog(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"), 2)
	f.Add(bytes.Repeat([]byte("x"), 10000), 7)
	f.Add(bytes.Repeat([]byte("\n"), 100), 1)
	f.Fuzz(func(t *testing.T, text []byte, piece int) {
		piece = max(1, piece)
		var status []*client.SolveStatus
		for rest := text; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			status = append(status, output(string(rest[:min(piece, len(rest))])))
		}
		status = append(status, &client.SolveStatus{Vertexes: []*client.Vertex{vertex("x", 0, "boom")}})
		var log bytes.Buffer
		_, tail := images.PlainLog(&log, status...)
		if len(tail) > 20 {
			t.Errorf("%d lines kept", len(tail))
		}
		for i, line := range tail {
			if len(line) > 4<<10 || strings.Contains(line, "\n") {
				t.Errorf("line %d: %d bytes", i, len(line))
			}
			if want := fmt.Sprintf("#1 %s\n", line); !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q", want)
			}
		}
	})
}
