package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier/score"
)

// written tells of tests in which nothing writes a reward.
func (l *looking) written() {
	for _, p := range l.t.Parts {
		if p.TestScript == "" || p.Mode == task.Separate && (p.Verifier.Compose || l.separateImage(p)) {
			continue // the image can hold what writes it
		}
		if !l.partWrites(p) {
			l.say(Finding{Code: "reward_never_written", File: p.TestScript, Message: "no file of the tests names reward.json, reward.txt or /logs/verifier"})
			return
		}
	}
}

func (l *looking) separateImage(p task.Part) bool {
	env, _ := l.conf.VerifierEnvironment(p.Step)
	return env.DockerImage != ""
}

func (l *looking) partWrites(p task.Part) bool {
	for _, dir := range p.Tests {
		for _, name := range []string{"scoring.toml", "scoring.json"} {
			if l.files.has(beside(dir, name)) {
				return true
			}
		}
	}
	for _, file := range l.tests {
		data := l.files.file(file)
		if data == nil || mentions(string(data)) || strings.Contains(strings.ToLower(string(data)), "reward") || strings.Contains(string(data), "/logs") {
			return true // one that cannot be read may
		}
	}
	return false
}

// scoring reads the scoring specifications.
func (l *looking) scoring() {
	seen := map[string]bool{}
	for _, p := range l.t.Parts {
		for _, dir := range p.Tests {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			l.specs(dir)
		}
	}
}

func (l *looking) specs(dir string) {
	asTOML, asJSON := beside(dir, "scoring.toml"), beside(dir, "scoring.json")
	if l.files.has(asTOML) && l.files.has(asJSON) {
		l.say(Finding{Code: "scoring_invalid", File: asJSON, Message: "there is a scoring.toml too", Remedy: "Keep one of the two."})
	}
	for _, file := range []string{asTOML, asJSON} {
		data := l.files.file(file)
		if data == nil {
			continue
		}
		spec, err := score.ParseSpec(data, file == asTOML)
		var e *score.SpecError
		if err == nil {
			for _, name := range spec.Ungated() {
				l.say(Finding{Code: "time_ungated", File: file, Line: lineOf(string(data), `"`+name+`"`),
					Message: fmt.Sprintf("dimension %q scores the time whatever was answered, so that whoever does nothing, fast, scores", name)})
			}
			continue
		}
		f := Finding{Code: "scoring_invalid", File: file, Message: err.Error()}
		if errors.As(err, &e) && e.Dimension != "" {
			f.Key, f.Line = e.Dimension, lineOf(string(data), `"`+e.Dimension+`"`)
		}
		if i := slices.IndexFunc(l.task.Findings, func(o Finding) bool { return o.Code == f.Code && o.File == l.path(file) && o.Key == f.Key }); i >= 0 {
			l.task.Findings[i].Line = f.Line // the plan says so too, and does not know the line
			continue
		}
		l.say(f)
	}
}

// lineOf is the line that holds a text first, or 0.
func lineOf(text, part string) int {
	before, _, found := strings.Cut(text, part)
	if !found {
		return 0
	}
	return strings.Count(before, "\n") + 1
}
