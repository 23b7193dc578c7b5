package sidecar

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
)

const (
	examineLimit = 3 * time.Second
	logLines     = 20
	logBytes     = 64 << 10
)

// dead looks at a service that is known to have died or turned unhealthy, marks the stack as lost and returns the reason.
func (s *Stack) dead(ctx context.Context, name string) error {
	d := s.examine(context.WithoutCancel(ctx), name)
	s.lose(d)
	return d
}

// examine collects what is known about a service in trouble. It is bounded, and says what it can.
func (s *Stack) examine(ctx context.Context, name string) *DeadError {
	ctx, cancel := within(ctx, examineLimit)
	defer cancel()
	d := &DeadError{Service: name, Why: "exited", After: time.Since(s.started)}
	id := s.ID(name)
	st, err := s.eng.api.ContainerInspect(ctx, id)
	d.unseen = err != nil
	if err == nil {
		d.ExitCode, d.OOM = st.State.ExitCode, st.State.OOMKilled
		if h := st.State.Health; h != nil {
			if len(h.Log) > 0 {
				d.Probe = strings.ToValidUTF8(h.Log[len(h.Log)-1].Output, "?")
			}
			if st.State.Running && h.Status == container.Unhealthy {
				d.Why = "unhealthy"
			}
		}
	}
	d.Log = s.eng.logTail(ctx, id)
	return d
}

// logTail returns the last lines of a container's own output.
func (e *Engine) logTail(ctx context.Context, id string) []string {
	rc, err := e.api.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Tail: "20"})
	if err != nil {
		return nil
	}
	defer rc.Close()
	var out tailBuffer
	_, _ = stdcopy.StdCopy(&out, &out, rc)
	return TailLines(out.buf.Bytes(), logLines)
}

// tailBuffer keeps the last logBytes bytes.
type tailBuffer struct{ buf bytes.Buffer }

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if over := t.buf.Len() - logBytes; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

// TailLines returns the last n non-empty lines of output as valid UTF-8, each at most 500 bytes.
func TailLines(out []byte, n int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(string(out), "?"), "\n") {
		line = strings.TrimRight(line, "\r \t")
		if line == "" {
			continue
		}
		if len(line) > 500 {
			line = strings.ToValidUTF8(line[:500], "") + "..."
		}
		lines = append(lines, line)
	}
	return lines[max(0, len(lines)-n):]
}
