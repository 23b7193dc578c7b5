package html

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

const (
	headBytes = 8 << 10  // of a log's beginning
	tailBytes = 16 << 10 // of its end
	mostSteps = 100      // steps of a trial whose logs are shown
)

// logPart is what a page shows of a log.
type logPart struct {
	Name string `json:"name"` // below the trial's folder
	Size int64  `json:"size"`
	Head string `json:"head"`
	Cut  int64  `json:"cut,omitempty"` // bytes left out between the two
	Tail string `json:"tail,omitempty"`
}

// writeLogs writes the logs of the trials that are incomplete, and then of those that did not pass, as long as the budget lasts. Each stands in an element of its
// own, which is read when somebody looks.
func (in *Input) writeLogs(w io.Writer, left int64) error {
	if in.Folder == "" {
		return nil
	}
	root, err := os.OpenRoot(in.Folder)
	if err != nil {
		return nil //nolint:nilerr // a page without logs is better than none
	}
	defer root.Close()
	trials := report.Trials(in.Run.Cases)
	incomplete, low := []int{}, []int{}
	for i, t := range trials {
		switch {
		case t.Status != orchestrator.Complete:
			incomplete = append(incomplete, i)
		case t.Score != nil && !(*t.Score >= in.PassBar):
			low = append(low, i)
		}
	}
	for _, i := range slices.Concat(incomplete, low) {
		data, err := encode(trialLogs(root, trials[i]))
		if err != nil {
			return err
		}
		if left -= int64(len(data)); left < 0 {
			_, err := io.WriteString(w, `<script type="application/json" id="logs-cut">true</script>`+"\n")
			return wrap(err)
		}
		if _, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"log-%d\">%s</script>\n", i, data); err != nil {
			return wrap(err)
		}
	}
	return nil
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// trialLogs are the logs of one trial that are there and not empty.
func trialLogs(root *os.Root, t *orchestrator.Case) []logPart {
	out := []logPart{}
	if t.Artifacts.Trial == "" {
		return out
	}
	names := []string{}
	if t.Status != orchestrator.Complete {
		names = append(names, "build.log")
	}
	if len(t.Steps) == 0 {
		names = append(names, streams("")...)
	}
	for i := range t.Steps[:min(len(t.Steps), mostSteps)] {
		names = append(names, streams(path.Join("steps", t.Steps[i].Name))...)
	}
	for _, name := range append(names, "trial.log") {
		f, err := regular.Open(root, path.Join(t.Artifacts.Trial, name))
		if err != nil {
			continue
		}
		if part, ok := readEnds(f, name); ok {
			out = append(out, part)
		}
		_ = f.Close()
	}
	return out
}

// streams are the outputs of the agent and of the tests.
func streams(dir string) []string {
	return []string{path.Join(dir, "agent/stdout.log"), path.Join(dir, "agent/stderr.log"), path.Join(dir, "verifier/test-stdout.txt"), path.Join(dir, "verifier/test-stderr.txt")}
}

// readEnds reads the beginning and the end of a log, or all of a small one.
func readEnds(f *os.File, name string) (logPart, bool) {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return logPart{}, false
	}
	part := logPart{Name: clean(name, 300), Size: st.Size()}
	if st.Size() <= headBytes+tailBytes {
		part.Head = section(f, 0, headBytes+tailBytes)
		return part, true
	}
	part.Head, part.Tail = section(f, 0, headBytes), section(f, st.Size()-tailBytes, tailBytes)
	part.Cut = st.Size() - headBytes - tailBytes
	return part, true
}

func section(f *os.File, at, n int64) string {
	data, _ := io.ReadAll(io.NewSectionReader(f, at, n)) // what can be read is what there is to show
	return report.Plain(string(data))
}
