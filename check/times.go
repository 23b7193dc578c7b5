package check

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// prepareLimit is that of what comes before an agent in a step, where no plan says it.
const prepareLimit = 10 * time.Minute

// times finds waits and limits in a script that are longer than the script may take.
func (l *looking) times(s *script) {
	limit, source := l.limit(s)
	for _, step := range s.steps {
		if len(step.Args) == 0 || step.Background {
			continue
		}
		f := Finding{Code: "limit_impossible", File: s.rel, Line: step.Line, Column: step.Column}
		switch path.Base(step.Args[0]) {
		case "sleep":
			d, ok := duration(step.Args[1:])
			if !ok || d <= limit {
				continue
			}
			f.Message = fmt.Sprintf("the script waits %s, and its limit is %s (%s)", d, limit, source)
			if !step.Conditional && !step.InFunction {
				f.Severity = Error
			}
		case "timeout", "gtimeout":
			d, ok := timeout(step.Args[1:])
			if !ok || d <= limit {
				continue
			}
			f.Message = fmt.Sprintf("timeout gives the command %s, and the limit of the whole script is %s (%s), so that it is the one that ends it", d, limit, source)
		default:
			continue
		}
		l.say(f)
	}
}

// limit is the longest that any part which uses the script gives it.
func (l *looking) limit(s *script) (longest time.Duration, source string) {
	for _, p := range s.parts {
		d, from := l.partLimit(s, p)
		if d > longest {
			longest, source = d, from
		}
	}
	return longest, source
}

func (l *looking) partLimit(s *script, p task.Part) (time.Duration, string) {
	ph := map[phase]orchestrator.Phase{phaseTests: orchestrator.PhaseVerifier, phaseAgent: orchestrator.PhaseAgent, phasePrepare: orchestrator.PhasePrepare}[s.phase]
	if l.task.Plan != nil {
		for i := range l.task.Plan.Steps {
			if st := &l.task.Plan.Steps[i]; st.Part.Step == p.Step {
				return st.Limits[ph].Value, st.Limits[ph].Source
			}
		}
	}
	t := l.conf.Timeouts(p.Step)
	switch s.phase {
	case phaseTests:
		return t.Verifier.Value, t.Verifier.Source
	case phaseAgent:
		return t.Agent.Value, t.Agent.Source
	default:
		return prepareLimit, "default"
	}
}

// duration adds the words of sleep.
func duration(words []string) (time.Duration, bool) {
	var sum time.Duration
	for _, w := range words {
		d, ok := span(w)
		if !ok {
			return 0, false
		}
		sum += d
	}
	return sum, len(words) > 0
}

// timeout reads the duration among the words of timeout.
func timeout(words []string) (time.Duration, bool) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-k" || w == "-s" || w == "--kill-after" || w == "--signal":
			i++
		case !strings.HasPrefix(w, "-"):
			return span(w)
		}
	}
	return 0, false
}

// span reads a number with an optional unit.
func span(w string) (time.Duration, bool) {
	unit := time.Second
	if n := len(w); n > 1 {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[w[n-1]]; ok {
			w, unit = w[:n-1], u
		}
	}
	v, err := strconv.ParseFloat(w, 64)
	if err != nil || v < 0 || v > 1e7 {
		return 0, false
	}
	return time.Duration(v * float64(unit)), true
}

// config finds limits of task.toml and the compose file that cannot be met.
func (l *looking) config() {
	build := l.conf.Timeouts(task.TaskLevel).Build
	if p := l.task.Plan; p != nil {
		build = task.Limit{Value: p.Limits[orchestrator.PhaseStart].Value, Source: p.Limits[orchestrator.PhaseStart].Source}
	}
	l.health("environment.healthcheck", l.conf.Environment.Healthcheck, build.Value, build.Source)
	for i := range l.conf.Steps {
		l.health(fmt.Sprintf("steps[%d].healthcheck", i), l.conf.Steps[i].Healthcheck, prepareLimit, "default")
	}
	if p := l.task.Plan; p != nil {
		l.services(p.Spec, build)
	}
	if l.contract() {
		l.leastRewards()
	}
}

// contract says whether rewards are from 0 to 1.
func (l *looking) contract() bool {
	if l.task.Plan != nil {
		return !l.task.Plan.Harbor
	}
	return l.conf.Eval.Rewards.Or(task.RewardsContract) == task.RewardsContract
}

// at files a finding about a key of task.toml.
func (l *looking) at(key string, f Finding) {
	p := l.conf.Where(key)
	f.File, f.Line, f.Column, f.Key = task.ConfigName, p.Line, p.Column, key
	l.say(f)
}

func (l *looking) health(key string, h *task.Healthcheck, limit time.Duration, source string) {
	if h == nil {
		return
	}
	if need := h.StartPeriod + h.Interval*time.Duration(h.Retries); need > limit {
		l.at(key, Finding{Code: "limit_impossible", Message: fmt.Sprintf("the health check may take %s (start period, and interval times retries), and the limit is %s (%s), which ends the trial first", need, limit, source)})
	}
}

func (l *looking) services(spec *stack.Spec, limit task.Limit) {
	for i := range spec.Services {
		s := &spec.Services[i]
		h := s.Healthcheck
		if h == nil {
			continue
		}
		if need := h.StartPeriod + h.Interval*time.Duration(h.Retries); need > limit.Value {
			l.say(Finding{Code: "limit_impossible", File: "environment/docker-compose.yaml", Key: "services." + s.Name + ".healthcheck",
				Message: fmt.Sprintf("the health check may take %s (start period, and interval times retries), and the limit for starting is %s (%s)", need, limit.Value, limit.Source)})
		}
	}
}

func (l *looking) leastRewards() {
	for i, s := range l.conf.Steps {
		for name, v := range s.MinReward {
			if v > 1 {
				l.at(fmt.Sprintf("steps[%d].min_reward", i), Finding{Code: "limit_impossible", Message: fmt.Sprintf("step %s goes on only with a %s of %s, and rewards are at most 1", s.Name, name, number(v))})
			}
		}
	}
}
