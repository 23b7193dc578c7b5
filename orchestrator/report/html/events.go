package html

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
)

const (
	mostEvents = 512 << 20 // bytes of events.jsonl that are read
	mostLine   = 1 << 20   // bytes of one line; a longer one is passed over
	mostParts  = 1000      // phases of one trial
)

// history is what events.jsonl says of each trial, by the name of the trial's folder.
type history map[string]*lived

// lived is a trial's time.
type lived struct {
	start, end time.Time
	parts      []interval
}

type interval struct {
	phase      int
	start, end time.Time
}

// readEvents reads a run's events as far as they can be read.
func readEvents(root *os.Root) history {
	h := history{}
	f, err := regular.Open(root, "events.jsonl")
	if err != nil {
		return h
	}
	defer f.Close()
	phases := phaseNames()
	r := bufio.NewReaderSize(io.LimitReader(f, mostEvents), mostLine)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if !skipLine(r) {
				return h
			}
			continue
		}
		h.add(line, phases)
		if err != nil {
			return h
		}
	}
}

func skipLine(r *bufio.Reader) bool {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err == nil
		}
	}
}

// add takes one line.
func (h history) add(line []byte, phases []string) {
	if !bytes.Contains(line, []byte(`"kind":"phase_`)) && !bytes.Contains(line, []byte(`"kind":"trial_`)) {
		return
	}
	var e struct {
		Time  time.Time              `json:"time"`
		Kind  orchestrator.EventKind `json:"kind"`
		Trial string                 `json:"trial"`
		Phase string                 `json:"phase"`
	}
	if json.Unmarshal(line, &e) != nil || e.Trial == "" || e.Time.IsZero() || e.Kind == orchestrator.OnTrialQueued || e.Kind == orchestrator.OnTrialRetried {
		return
	}
	l := h[e.Trial]
	if l == nil {
		l = &lived{start: e.Time}
		h[e.Trial] = l
	}
	l.end = e.Time
	phase := slices.Index(phases, e.Phase)
	switch {
	case phase < 0:
	case e.Kind == orchestrator.OnPhaseStarted && len(l.parts) < mostParts:
		l.parts = append(l.parts, interval{phase: phase, start: e.Time})
	case e.Kind == orchestrator.OnPhaseFinished:
		for i := range slices.Backward(l.parts) {
			if l.parts[i].phase == phase && l.parts[i].end.IsZero() {
				l.parts[i].end = e.Time
				break
			}
		}
	}
}

// bar is a trial's time; a phase whose end is not known lasts to the trial's end.
func (h history) bar(trial string) (bar, bool) {
	l := h[trial]
	if l == nil || l.end.Before(l.start) {
		return bar{}, false
	}
	b := bar{from: l.start, End: l.end.Sub(l.start).Seconds(), Parts: []part{}}
	for _, p := range l.parts {
		end := p.end
		if end.IsZero() {
			end = l.end
		}
		if p.start.Before(l.start) || end.Before(p.start) {
			continue // the clock was set back
		}
		b.Parts = append(b.Parts, part{float64(p.phase), p.start.Sub(l.start).Seconds(), end.Sub(l.start).Seconds()})
	}
	return b, true
}
