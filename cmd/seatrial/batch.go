package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
)

// batchFlags say how the trials of a run go beside and after one another.
type batchFlags struct {
	parallel, trials, builds, retries, maxIncomplete int
	hostSlots                                        int
	retryOn                                          []string
	overcommit                                       float64
	partial, failFast                                bool
	deadline                                         string
	engineWait                                       time.Duration
}

func (f *batchFlags) add(s *pflag.FlagSet) {
	s.IntVarP(&f.parallel, "parallel", "n", 1, "trials at a time")
	s.IntVarP(&f.trials, "trials", "k", 1, "trials of each case; the case's score is their mean")
	s.BoolVar(&f.partial, "allow-partial", false, "take a case for complete when one of its trials is, instead of all (with -k)")
	s.IntVar(&f.builds, "builds", 2, "images that are built or pulled at a time, ahead of the trials")
	s.Float64Var(&f.overcommit, "overcommit", 1, "start trials as long as their limits on processors and memory come to this many times what the engine has;\n0: do not look (one that would never fit runs alone)")
	s.IntVar(&f.retries, "max-retries", 0, "try a trial again, up to `N` times, when the machine kept it from a verdict")
	s.StringSliceVar(&f.retryOn, "retry-on", nil, "error codes that say so (default "+strings.Join(orchestrator.RetryCodes(), ",")+")")
	s.BoolVar(&f.failFast, "fail-fast", false, "start nothing more after the first incomplete trial")
	s.IntVar(&f.maxIncomplete, "max-incomplete", 0, "start nothing more after more than `N` incomplete trials (0: no bound)")
	s.StringVar(&f.deadline, "deadline", "", "start nothing more after this `time`, as in 06:30 (the next one), 2026-01-31T06:30:00Z or 8h; what runs is finished")
	s.IntVar(&f.hostSlots, "host-slots", 0, "trials at a time in all runs of yours on this host together, each given the same `N` (0: no bound; default: $"+hostSlotsVariable+")")
	s.DurationVar(&f.engineWait, "engine-wait", 0, "wait this long for an engine that does not answer, or a disk that is full, before nothing more is started (default: 5m with -n, else the run does not look)")
}

// batch checks the flags.
func (f *batchFlags) batch(s *pflag.FlagSet, lookup func(string) (string, bool), now time.Time) (orchestrator.Batch, error) {
	b := orchestrator.Batch{Parallel: f.parallel, Builds: f.builds, Trials: f.trials, AllowPartial: f.partial, Overcommit: f.overcommit, MaxRetries: f.retries, RetryOn: f.retryOn,
		FailFast: f.failFast, MaxIncomplete: f.maxIncomplete, EngineWait: f.engineWait}
	for _, n := range []struct {
		flag        string
		value, most int
	}{{"parallel", f.parallel, 1000}, {"trials", f.trials, 10_000}, {"builds", f.builds, 100}} {
		if n.value < 1 || n.value > n.most {
			return b, usage("--%s %d: want 1 to %d", n.flag, n.value, n.most)
		}
	}
	switch {
	case f.retries < 0 || f.retries > 100:
		return b, usage("--max-retries %d: want 0 to 100", f.retries)
	case f.maxIncomplete < 0:
		return b, usage("--max-incomplete %d: want 0 or more", f.maxIncomplete)
	case f.partial && f.trials == 1:
		return b, usage("--allow-partial goes with several trials of each case, -k")
	case math.IsNaN(f.overcommit) || f.overcommit < 0 || f.overcommit > 1000:
		return b, usage("--overcommit %g: want 0 to 1000", f.overcommit)
	case f.engineWait < 0:
		return b, usage("--engine-wait %s: want 0 or more", f.engineWait)
	case len(f.retryOn) > 0 && f.retries == 0:
		return b, usage("--retry-on goes with --max-retries")
	}
	for _, code := range f.retryOn {
		if !slices.Contains(orchestrator.ErrorCodes(), code) {
			return b, usage("--retry-on %s: there is no such error code; docs/run-json.md lists them", code)
		}
	}
	if f.parallel > 1 && !s.Changed("engine-wait") {
		b.EngineWait = 5 * time.Minute
	}
	var err error
	if b.HostSlots, err = f.slots(s, lookup); err != nil {
		return b, err
	}
	b.Deadline, err = deadline(f.deadline, now)
	return b, err
}

// hostSlotsVariable is the variable of the environment that bounds the trials on a host, for whatever runs trials.
const hostSlotsVariable = "SEATRIAL_HOST_SLOTS"

// maxHostSlots is the largest bound that makes sense.
const maxHostSlots = 1000

// slots is the flag, or else what the environment says.
func (f *batchFlags) slots(s *pflag.FlagSet, lookup func(string) (string, bool)) (int, error) {
	if !s.Changed("host-slots") {
		return hostSlots(lookup)
	}
	if f.hostSlots < 0 || f.hostSlots > maxHostSlots {
		return 0, usage("--host-slots %d: want 0 to %d", f.hostSlots, maxHostSlots)
	}
	return f.hostSlots, nil
}

// hostSlots is what the environment says of trials on this host; 0 = nothing.
func hostSlots(lookup func(string) (string, bool)) (int, error) {
	text, ok := lookup(hostSlotsVariable)
	if !ok || text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxHostSlots {
		return 0, usage("%s=%q: want 0 to %d", hostSlotsVariable, text, maxHostSlots)
	}
	return n, nil
}

// deadline reads a time of day, a moment or a duration.
func deadline(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation("15:04", text, now.Location()); err == nil {
		day := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
		if !day.After(now) {
			day = day.AddDate(0, 0, 1)
		}
		return day, nil
	}
	return time.Time{}, usage("--deadline %s: want a time of day such as 06:30, a moment such as 2026-01-31T06:30:00Z, or a duration such as 8h", text)
}
