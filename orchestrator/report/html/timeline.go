package html

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path"
	"slices"
	"time"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// timeline says when each trial was in which phase, in seconds from the first start.
type timeline struct {
	Phases []string `json:"phases"`
	Lanes  int      `json:"lanes"`
	Total  float64  `json:"total"`
	Bars   []bar    `json:"bars"`
}

// bar is one trial. Trials that ran at the same time are in different lanes.
type bar struct {
	Trial int     `json:"trial"` // its place among the trials of the run
	Lane  int     `json:"lane"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Parts []part  `json:"parts"`

	from time.Time
}

// part is one phase: its place in the timeline's phases, its start and its end. Steps have some phases several times.
type part [3]float64

// timeline is nil where no times are known.
func (in *Input) timeline() *timeline {
	if in.Folder == "" {
		return nil
	}
	root, err := os.OpenRoot(in.Folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	t := &timeline{Phases: phaseNames()}
	seen := readEvents(root)
	for i, c := range report.Trials(in.Run.Cases) {
		b, ok := seen.bar(path.Base(c.Artifacts.Trial))
		if !ok {
			b, ok = recorded(root, c)
		}
		if ok {
			b.Trial = i
			t.Bars = append(t.Bars, b)
		}
	}
	if len(t.Bars) == 0 {
		return nil
	}
	t.arrange()
	return t
}

// arrange puts the bars into lanes, each into the first that is free, and makes the times relative.
func (t *timeline) arrange() {
	slices.SortStableFunc(t.Bars, func(a, b bar) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.Trial, b.Trial)) })
	zero := t.Bars[0].from
	var free []float64
	for i := range t.Bars {
		b := &t.Bars[i]
		shift := b.from.Sub(zero).Seconds()
		b.Start, b.End = round(shift), round(b.End+shift)
		for j := range b.Parts {
			b.Parts[j][1], b.Parts[j][2] = round(b.Parts[j][1]+shift), round(b.Parts[j][2]+shift)
		}
		b.Lane = slices.IndexFunc(free, func(end float64) bool { return end <= b.Start })
		if b.Lane < 0 {
			b.Lane = len(free)
			free = append(free, 0)
		}
		free[b.Lane] = b.End
		t.Total = max(t.Total, b.End)
	}
	t.Lanes = len(free)
}

// round keeps milliseconds, so that the page stays small.
func round(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }

// phaseNames are the phases in the order in which a trial has them.
func phaseNames() []string {
	var out []string
	for _, p := range []orchestrator.Phase{orchestrator.PhaseBuild, orchestrator.PhaseInstall, orchestrator.PhaseStart, orchestrator.PhasePrepare, orchestrator.PhaseAgent,
		orchestrator.PhaseVerifier, orchestrator.PhaseCollect, orchestrator.PhaseRewards, orchestrator.PhaseTeardown} {
		out = append(out, string(p))
	}
	return out
}

// recorded is a trial's bar as its record has it, where no events are there: the phases one after the other.
func recorded(root *os.Root, c *orchestrator.Case) (bar, bool) {
	if c.Artifacts.Trial == "" {
		return bar{}, false
	}
	f, err := regular.Open(root, path.Join(c.Artifacts.Trial, "trial.json"))
	if err != nil {
		return bar{}, false
	}
	defer f.Close()
	var t struct {
		StartedAt  time.Time `json:"started_at"`
		FinishedAt time.Time `json:"finished_at"`
	}
	const most = 16 << 20
	if err := json.NewDecoder(io.LimitReader(f, most)).Decode(&t); err != nil || t.StartedAt.IsZero() || t.FinishedAt.Before(t.StartedAt) {
		return bar{}, false
	}
	b := bar{from: t.StartedAt, End: t.FinishedAt.Sub(t.StartedAt).Seconds(), Parts: []part{}}
	at, m := 0.0, &c.Timing
	for i, v := range []*float64{m.Build, m.AgentSetup, m.Start, m.Prepare, m.Agent, m.Verifier, m.Collect, nil, m.Teardown} {
		if v != nil && *v > 0 {
			b.Parts = append(b.Parts, part{float64(i), at, at + *v})
			at += *v
		}
	}
	return b, true
}
