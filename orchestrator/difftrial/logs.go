package difftrial

import (
	"context"
	"os"
	"path"

	"github.com/seatrial/seatrial/orchestrator"
)

// maxLogs bounds how many logs are compared.
const maxLogs = 1000

// LogsPart compares what commands printed.
type LogsPart struct {
	Differs bool  `json:"differs"`
	Logs    []Log `json:"logs"`
	LeftOut int   `json:"left_out"` // logs that were not compared, because there are too many
}

// Log is one stream of a command that ran in both trials.
type Log struct {
	Name    string `json:"name"` // "agent.stdout"
	Old     Stream `json:"old"`
	New     Stream `json:"new"`
	Differs bool   `json:"differs"`
	// First is where they cease to be the same.
	First *First `json:"first,omitempty"`
	// Problem says why that is not known.
	Problem string `json:"problem,omitempty"`
}

// Stream is a log on one side.
type Stream struct {
	Path  string `json:"path"`  // below the trial's folder
	Bytes int64  `json:"bytes"` // that were printed
	Cut   int64  `json:"cut"`   // that were left out of the file in its middle
}

// pairs are the streams of the commands that ran in both trials, with the paths that the records give.
func pairs(was, now *orchestrator.TrialRecord) []Log {
	var out []Log
	for _, p := range sides(was, now) {
		if p.old == nil || p.new == nil {
			continue
		}
		a, b := p.old.exec, p.new.exec
		for _, l := range []Log{{Name: p.name + ".stdout", Old: stream(&a.Stdout), New: stream(&b.Stdout)}, {Name: p.name + ".stderr", Old: stream(&a.Stderr), New: stream(&b.Stderr)}} {
			if l.Old.Path != "" || l.New.Path != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

func stream(s *orchestrator.Stream) Stream {
	return Stream{Path: s.Path, Bytes: s.Bytes, Cut: s.Cut}
}

// logNames are the files that logs compares.
func logNames(was, now *orchestrator.TrialRecord) map[string]bool {
	names := map[string]bool{}
	all := pairs(was, now)
	for _, l := range all[:min(maxLogs, len(all))] {
		if l.Old.Path != "" && path.Clean(l.Old.Path) == path.Clean(l.New.Path) {
			names[path.Clean(l.Old.Path)] = true
		}
	}
	return names
}

// logs compares the commands' output.
func (r *reader) logs(ctx context.Context, was, now *orchestrator.TrialRecord) *LogsPart {
	p := &LogsPart{Logs: []Log{}}
	for _, l := range pairs(was, now) {
		if len(p.Logs) >= maxLogs || ctx.Err() != nil {
			p.LeftOut++
			continue
		}
		r.log(ctx, &l)
		p.Differs = p.Differs || l.Differs
		p.Logs = append(p.Logs, l)
	}
	return p
}

// log compares two logs as far as they are the same. However large they are, little of them is held.
func (r *reader) log(ctx context.Context, l *Log) {
	inOld, inNew := there(r.old, l.Old.Path), there(r.new, l.New.Path)
	switch {
	case !inOld && !inNew:
		l.Problem = "it is in neither folder"
		return
	case !inOld:
		l.Differs, l.Problem = true, "it is not in the old trial's folder"
		return
	case !inNew:
		l.Differs, l.Problem = true, "it is not in the new trial's folder"
		return
	}
	was, now, err := r.pair(l.Old.Path, l.New.Path)
	if err != nil {
		l.Problem = err.Error()
		return
	}
	defer closeBoth(was, now)
	at, err := r.part(ctx, was, now)
	switch {
	case err != nil:
		l.Problem = bare(err)
	case at.cut:
		l.Differs, l.Problem = size(was) != size(now), at.unread()
	case !at.same:
		l.Differs, l.First = true, at.first(was, now)
	}
}

// size is a file's size; -1 = unknown.
func size(f *os.File) int64 {
	st, err := f.Stat()
	if err != nil {
		return -1
	}
	return st.Size()
}
