package orchestrator

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
)

// runBook is run.json.
type runBook struct {
	s      *session
	trials map[string][]Case // by case id, where there are several of each
}

func bookOfRun(s *session) book { return &runBook{s: s, trials: map[string][]Case{}} }

func (b *runBook) add(_ Job, rec *TrialRecord) {
	r, c := b.s.rec, rec.Case
	maps.Copy(r.Environment.Images, rec.imageRefs)
	if wanted := b.s.q.Batch.Trials; wanted > 1 {
		b.trials[c.ID] = inOrder(b.trials[c.ID], c)
		c = Group(b.trials[c.ID], wanted, b.s.q.Batch.AllowPartial)
	}
	i, found := slices.BinarySearchFunc(r.Cases, c.ID, func(o Case, id string) int { return cmp.Compare(o.ID, id) })
	if found && c.Trials != nil {
		r.Cases[i] = c
		return
	}
	r.Cases = slices.Insert(r.Cases, i, c)
}

// inOrder adds a trial to others of its case, by their numbers.
func inOrder(trials []Case, c Case) []Case {
	i, _ := slices.BinarySearchFunc(trials, c.Trial, func(o Case, n int) int { return cmp.Compare(o.Trial, n) })
	return slices.Insert(slices.Clone(trials), i, c)
}

func (b *runBook) write() error {
	r := b.s.rec
	r.Summary.Trials = countTrials(r.Cases, b.s.planned, b.s.q.Batch.Trials)
	return b.s.folder.WriteRun(r)
}

func (b *runBook) synthetic() bool { return false }
func (b *runBook) path() string    { return filepath.Join(b.s.folder.Path, "run.json") }

// countTrials counts the trials of cases that are to have several each; nil where they have one.
func countTrials(cases []Case, planned, wanted int) *TrialCounts {
	if wanted <= 1 {
		return nil
	}
	n := &TrialCounts{Planned: planned * wanted}
	for i := range cases {
		for j := range cases[i].Trials {
			if cases[i].Trials[j].Status == Complete {
				n.Complete++
			} else {
				n.Incomplete++
			}
		}
	}
	n.Missing = max(0, n.Planned-n.Complete-n.Incomplete)
	return n
}
