package why

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/egress"
)

const (
	// mostLog is how much of a log is read to count its lines, in bytes: more than the tool itself keeps of one. Of a larger one the end alone is read.
	mostLog = 8 << 20
	// logTail and logLines bound what is looked at of a log's end.
	logTail  = 64 << 10
	logLines = 100
	// mostRefusals bounds the file of what was tried on the network, and mostHosts how many hosts are told apart.
	mostRefusals = 16 << 20
	mostHosts    = 1000
	// mostFolders bounds how many folders of a run are looked at for trials that ran at the same time, where nothing lists these.
	mostFolders = 500
)

// Read gathers what there is on a trial. What is not there, or cannot be read, is left out: that is no error.
func Read(p *orchestrator.TrialPlace) *Evidence {
	e := &Evidence{Trial: p.Record}
	if run, err := orchestrator.ReadRun(p.Run); err == nil {
		e.Run = run
	}
	if l, err := orchestrator.ReadLock(p); err == nil {
		e.Lock = l
	}
	e.besideOf(p)
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return e
	}
	defer root.Close()
	e.readFiles(root)
	return e
}

// besideOf finds the trials that were under way at the same time: those that the trial's lock lists, else those whose times say so.
func (e *Evidence) besideOf(p *orchestrator.TrialPlace) {
	add := func(name string, listed bool) {
		t, err := orchestrator.ReadTrial(p.Run, name)
		if err == nil && t.TrialID != e.Trial.TrialID && !t.Synthetic && (listed || overlap(t, e.Trial)) {
			e.Beside = append(e.Beside, Neighbour{Folder: name, Case: t.Case.ID, Outcome: orchestrator.OutcomeOf(&t.Case)})
		}
	}
	if e.Lock != nil {
		for _, name := range e.Lock.Batch.Beside[:min(len(e.Lock.Batch.Beside), mostFolders)] {
			add(name, true)
		}
		e.BesideCount = max(e.Lock.Batch.BesideCount, len(e.Beside))
		return
	}
	root, err := os.OpenRoot(p.Run)
	if err != nil {
		return
	}
	defer root.Close()
	dir, err := root.Open("trials")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(mostFolders) // as many as there are
	slices.Sort(names)
	for _, name := range names {
		add(name, false)
	}
	e.BesideCount = len(e.Beside)
}

// readFiles reads the ends of the commands' output and what was refused on the network.
func (e *Evidence) readFiles(root *os.Root) {
	files := []string{"egress.jsonl", verifiersLog}
	for i := range e.Trial.Steps {
		files = append(files, path.Join("steps", e.Trial.Steps[i].Name, verifiersLog))
	}
	for _, name := range files {
		if f, err := regular.Open(root, name); err == nil {
			e.Refusals = append(e.Refusals, refused(name, io.LimitReader(f, mostRefusals))...)
			_ = f.Close()
		}
	}
	seen := map[string]bool{}
	for _, c := range e.commands() {
		for _, name := range []string{c.Stdout.Path, c.Stderr.Path} {
			name = path.Clean(name)
			if seen[name] {
				continue
			}
			seen[name] = true
			if l, err := readLog(root, name); err == nil {
				e.Logs = append(e.Logs, l)
			}
		}
	}
}

// verifiersLog is what was tried on the network of a separate verifier.
const verifiersLog = "egress-verifier.jsonl"

func isVerifiers(file string) bool { return path.Base(file) == verifiersLog }

var errEmpty = errors.New("there is nothing in it")

// readLog reads the end of a log.
func readLog(root *os.Root, name string) (Log, error) {
	f, err := regular.Open(root, name)
	if err != nil {
		return Log{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return Log{}, errEmpty
	}
	whole := st.Size() <= mostLog
	if !whole {
		if _, err := f.Seek(-logTail, io.SeekEnd); err != nil {
			return Log{}, errEmpty
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, mostLog))
	if err != nil {
		return Log{}, errEmpty
	}
	return Log{File: name, Lines: lastLines(data, whole)}, nil
}

// lastLines are the last lines of a text that have something in them, without the tool's own marks. Their numbers are told where the text is whole.
func lastLines(data []byte, whole bool) []Line {
	end := data[max(0, len(data)-logTail):]
	if cut := bytes.IndexByte(end, '\n'); cut >= 0 && (len(end) < len(data) || !whole) {
		end = end[cut+1:] // a line that begins before
	}
	n := 0
	if whole {
		n = 1 + bytes.Count(data[:len(data)-len(end)], []byte{'\n'})
	}
	var lines []Line
	for line := range bytes.SplitSeq(end, []byte{'\n'}) {
		const long = 4 << 10
		text := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), long)]), "?"))
		if text != "" && !strings.HasPrefix(text, "[seatrial: ") {
			lines = append(lines, Line{Number: n, Text: text})
		}
		if whole {
			n++
		}
	}
	return lines[max(0, len(lines)-logLines):]
}

// refused counts, by host, what was tried and not allowed.
func refused(file string, r io.Reader) []Refusal {
	var out []Refusal
	at := map[string]int{}
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		var l egress.Line
		if json.Unmarshal(scan.Bytes(), &l) != nil || l.Allowed || l.Host == "" {
			continue
		}
		i, known := at[l.Host]
		if !known {
			if len(out) == mostHosts {
				continue
			}
			i = len(out)
			at[l.Host], out = i, append(out, Refusal{File: file, Line: n, Host: l.Host})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b Refusal) int { return b.Count - a.Count })
	return out
}
