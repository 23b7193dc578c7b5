package check

import (
	"regexp"
	"strconv"
	"strings"
)

// counts finds rewards that are counts: keys of reward.json with such names, and numbers that are no fractions.
func (l *looking) counts() {
	if !l.contract() {
		return
	}
	for _, s := range l.scripts {
		if !s.grades {
			continue
		}
		for _, step := range s.steps {
			l.shellCounts(s, step)
		}
	}
	for _, file := range l.tests {
		if strings.HasSuffix(file, ".py") {
			if text := string(l.files.file(file)); strings.Contains(text, "reward.json") {
				l.pythonCounts(file, text)
			}
		}
	}
}

// shellCounts looks at what a command of a script writes to reward.json.
func (l *looking) shellCounts(s *script, step *shellStep) {
	to := target(step)
	if to == "" {
		return
	}
	text, ok := written(step)
	if !ok && len(step.Args) > 1 && step.Args[0] == "printf" {
		text, ok = step.Args[1], true
	}
	if !ok {
		return
	}
	if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		if v > 1 {
			l.say(Finding{Code: "reward_is_count", File: s.rel, Line: step.Line, Column: step.Column, Message: "the reward " + strings.TrimSpace(text) + " is above 1"})
		}
		return
	}
	if strings.Contains(to, "reward.txt") {
		return
	}
	line := step.Line
	for _, r := range step.Redirects {
		if r.Body == text && r.BodyLine > 0 {
			line = r.BodyLine
		}
	}
	l.pairs(s.rel, text, line, strings.Count(step.Text, "\n") > 0)
}

// pair finds a key of a JSON object or a Python dictionary with what follows it on its line.
func pair() *regexp.Regexp {
	return regexp.MustCompile(`["']([A-Za-z][A-Za-z0-9_. -]*)["']\s*:\s*([^,}\n]*)`)
}

// pairs looks at the keys in a text that begins in a line.
func (l *looking) pairs(file, text string, line int, spread bool) {
	for _, m := range pair().FindAllStringSubmatchIndex(text, -1) {
		key, value := text[m[2]:m[3]], strings.TrimSpace(text[m[4]:m[5]])
		why := ""
		v, err := strconv.ParseFloat(strings.Trim(value, `"'`), 64)
		switch {
		case err == nil && (v > 1 || v < 0):
			why = "the reward " + clip(key) + " is " + clip(value) + ", which is not from 0 to 1"
		case err == nil, !countName(key), fraction(value):
			continue
		default:
			why = "the reward " + clip(key) + " looks like a count, and rewards are fractions from 0 to 1"
		}
		at := line
		if spread {
			at += strings.Count(text[:m[0]], "\n")
		}
		l.say(Finding{Code: "reward_is_count", File: file, Line: at, Message: why})
		return // one says it for all
	}
}

// countName says whether a key is called as counts and totals are.
func countName(key string) bool {
	k := strings.ToLower(key)
	switch k {
	case "passed", "failed", "total", "count", "tests_run", "duration", "seconds", "points", "max_score", "max_points", "num_tests", "errors", "skipped", "num_passed", "num_failed":
		return true
	}
	return strings.HasPrefix(k, "num_") || strings.HasPrefix(k, "n_") || strings.HasSuffix(k, "_count") || strings.HasSuffix(k, "_total") || strings.HasPrefix(k, "total_") || strings.HasPrefix(k, "count_")
}

// fraction says whether a value is worked out in a way that makes fractions, or yes and no.
func fraction(value string) bool {
	for _, sign := range []string{"/", " if ", "bool(", "float(", "int(", "min(", "round(", "==", "True", "False", "true", "false", "ratio", "rate", "frac", "1.0", "mean"} {
		if strings.Contains(value, sign) {
			return true
		}
	}
	return false
}

// pythonCounts looks at the dictionaries in a Python file that become reward.json: those that are called reward, and those that are written near its name.
func (l *looking) pythonCounts(file, text string) {
	named := regexp.MustCompile(`(?m)^[ \t]*rewards?(?:_[a-z]+)?\s*(?::\s*[^=\n]+)?=\s*\{`)
	dumped := regexp.MustCompile(`json\.dumps?\(\s*\{`)
	for _, at := range named.FindAllStringIndex(text, -1) {
		l.dictionary(file, text, at[1]-1)
	}
	for _, at := range dumped.FindAllStringIndex(text, -1) {
		from, to := max(0, at[0]-200), min(len(text), at[1]+600)
		if strings.Contains(text[from:to], "reward.json") {
			l.dictionary(file, text, at[1]-1)
		}
	}
}

// dictionary looks at the outermost keys of the dictionary that opens at an offset.
func (l *looking) dictionary(file, text string, open int) {
	const most = 4000
	depth, flat := 0, []byte(text[open:min(len(text), open+most)])
	for i, c := range flat {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
		if depth == 0 {
			flat = flat[:i+1]
			break
		}
		if depth > 1 && (c == '"' || c == '\'') {
			flat[i] = ' ' // a key further in
		}
	}
	l.pairs(file, string(flat), strings.Count(text[:open], "\n")+1, true)
}
