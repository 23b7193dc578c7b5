package harbor

import (
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

// tally adds trials up, one at a time. It keeps their names and values, and nothing else of them.
type tally struct {
	stats JobStats
	evals map[string]*evalTally
}

func newTally() *tally {
	return &tally{stats: JobStats{Evals: map[string]*Eval{}}, evals: map[string]*evalTally{}}
}

func (t *tally) add(r *TrialResult, tries int) {
	s := &t.stats
	s.Completed++
	s.Retries += tries
	key := evalKey(&r.AgentInfo, r.Source)
	e := t.evals[key]
	if e == nil {
		e = newEvalTally()
		t.evals[key], s.Evals[key] = e, &e.eval
	}
	e.add(r)
	if x := r.ExceptionInfo; x != nil {
		s.Errored++
		if x.Type == cancelled {
			s.Cancelled++
		}
	}
	if a := r.AgentResult; a != nil {
		s.InputTokens, s.CacheTokens, s.OutputTokens = plus(s.InputTokens, a.InputTokens), plus(s.CacheTokens, a.CacheTokens), plus(s.OutputTokens, a.OutputTokens)
		s.CostUSD = plus(s.CostUSD, a.CostUSD)
		if s.CostUSD != nil {
			*s.CostUSD = stats.Finite(*s.CostUSD)
		}
	}
}

// done is what all of them come to; planned is how many there were to be.
func (t *tally) done(planned int) (JobStats, int) {
	planned = max(planned, t.stats.Completed)
	t.stats.Pending = planned - t.stats.Completed
	for _, e := range t.evals {
		e.eval.Metrics, e.eval.PassAtK = e.mean(), e.passAtK()
	}
	return t.stats, planned
}

// evalTally adds up the trials of one evaluation.
type evalTally struct {
	eval   Eval
	trials int
	sums   map[string]float64
	tasks  map[string]*attempts
	graded bool // some reward is not just 0 or 1
}

// attempts are the trials of one task.
type attempts struct{ trials, passed int }

func newEvalTally() *evalTally {
	return &evalTally{eval: Eval{Rewards: map[string]map[string][]string{}, Exceptions: map[string][]string{}}, sums: map[string]float64{}, tasks: map[string]*attempts{}}
}

func (e *evalTally) add(r *TrialResult) {
	e.trials++
	if x := r.ExceptionInfo; x != nil {
		e.eval.Errors++
		e.eval.Exceptions[x.Type] = append(e.eval.Exceptions[x.Type], r.TrialName)
	}
	a := e.tasks[r.TaskName]
	if a == nil {
		a = &attempts{}
		e.tasks[r.TaskName] = a
	}
	a.trials++
	if r.VerifierResult == nil {
		return
	}
	e.eval.Trials++
	list := r.VerifierResult.Rewards
	e.graded = e.graded || len(list) != 1
	for name, v := range list {
		byValue := e.eval.Rewards[name]
		if byValue == nil {
			byValue = map[string][]string{}
			e.eval.Rewards[name] = byValue
		}
		byValue[pythonFloat(v)] = append(byValue[pythonFloat(v)], r.TrialName)
		e.sums[name] = stats.Finite(e.sums[name] + v)
		switch v {
		case 0:
		case 1:
			a.passed++
		default:
			e.graded = true
		}
	}
}

// mean is Harbor's metric where none is asked for: the mean over all trials, where a reward that is missing counts 0. It is called by its own name while there is one
// reward at most, and by the rewards' names else.
func (e *evalTally) mean() []map[string]float64 {
	out := map[string]float64{}
	for name, sum := range e.sums {
		if len(e.sums) == 1 {
			name = "mean"
		}
		out[name] = sum / float64(e.trials)
	}
	if len(e.sums) == 0 {
		out["mean"] = 0
	}
	return []map[string]float64{out}
}

// passAtK is Harbor's: for k of 2, 4, 8 and so on and of 5, 10, 15 and so on up to the fewest trials of a task, the mean over the tasks. There is none unless every
// trial with a verdict has one reward, and that is 0 or 1. A trial without a verdict has not passed.
func (e *evalTally) passAtK() map[string]float64 {
	out := map[string]float64{}
	if e.graded {
		return out
	}
	fewest := 0
	alike := map[attempts]int{} // most tasks come out alike
	for _, a := range e.tasks {
		alike[*a]++
		if fewest == 0 || a.trials < fewest {
			fewest = a.trials
		}
	}
	values := map[int][]float64{}
	for a, times := range alike {
		at, _ := stats.Passes(a.trials, a.passed)
		for _, k := range ks(fewest) {
			for range times {
				values[k] = append(values[k], at[k-1])
			}
		}
	}
	for k, v := range values {
		if m := stats.Mean(v); m != nil { // the order of the values does not matter to it
			out[strconv.Itoa(k)] = *m
		}
	}
	return out
}

// ks are the k of pass@k up to most.
func ks(most int) []int {
	var out []int
	for k := 2; k <= most; k++ {
		if k&(k-1) == 0 || k%5 == 0 {
			out = append(out, k)
		}
	}
	return out
}

// plus adds what is known; nil is unknown.
func plus[N int64 | float64](a, b *N) *N {
	if b == nil {
		return a
	}
	sum := *b
	if a != nil {
		sum += *a
	}
	return &sum
}

// pythonFloat is a number as Python's json module writes a float.
func pythonFloat(v float64) string {
	const least, most = 1e-4, 1e16 // where Python changes to an exponent
	if size := max(v, -v); v != 0 && (size < least || size >= most) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
