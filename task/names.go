package task

import (
	"strings"
	"time"
)

func networkMode(n *Network) rule {
	n.Key = "network_mode"
	return opt(&n.Mode, oneOf(Public, NoNetwork, Allowlist))
}

// transport takes "http" for the transport that it has come to mean.
func transport() value[Transport] {
	v := oneOf(SSE, StreamableHTTP, Stdio)
	return value[Transport]{v.kind, func(r *reader, n *node) (Transport, bool) {
		if n.kind == isString && n.text == "http" {
			return StreamableHTTP, true
		}
		return v.read(r, n)
	}}
}

// trimmed drops white space round a string before v reads it.
func trimmed(v value[string]) value[string] {
	return value[string]{v.kind, func(r *reader, n *node) (string, bool) {
		short := *n
		if n.kind == isString {
			short.text = strings.TrimSpace(n.text)
		}
		return v.read(r, &short)
	}}
}

func taskName() value[string] {
	const want = `"org/name" of letters, digits, "_", "." and "-", each part starting with a letter or digit, without ".."`
	return textOf("org/name", want, func(s string) bool {
		org, name, ok := strings.Cut(s, "/")
		return ok && isWord(org) && isWord(name) && !strings.Contains(s, "..")
	})
}

// stepName takes what can be the name of one folder on any file system that matters.
func stepName() value[string] {
	const want = `the name of a folder: not empty, ".", ".." or longer than 255 bytes, and without slashes, ` +
		`control characters and blanks at its ends`
	return textOf("folder name", want, func(s string) bool {
		return s != "" && s != "." && s != ".." && len(s) <= 255 && strings.TrimSpace(s) == s &&
			!strings.ContainsAny(s, `/\`) && !hasControl(s)
	})
}

func caseID() value[string] {
	const want = `a case id: up to 128 lower-case letters, digits, ".", "_" and "-", starting with a letter or digit`
	return textOf("case id", want, IsCaseID)
}

func topology() value[string] {
	return textOf("topology", `whole numbers joined by "x", such as "2x4"`, func(s string) bool {
		parts := strings.Split(s, "x")
		for _, p := range parts {
			if p == "" || p[0] == '0' || strings.Trim(p, "0123456789") != "" {
				return false
			}
		}
		return len(parts) > 1
	})
}

// moment is a time with its zone, in a string or as TOML writes it.
func moment() value[time.Time] {
	const want = `a time with its zone as in RFC 3339, such as "2026-01-05T09:00:00Z"`
	return value[time.Time]{"RFC 3339 time", func(r *reader, n *node) (time.Time, bool) {
		if n.kind == isString || n.kind == isTime {
			at, err := time.Parse(time.RFC3339Nano, strings.Replace(n.text, " ", "T", 1))
			if err == nil {
				return at, true
			}
		}
		r.wrong(n, want)
		return time.Time{}, false
	}}
}

// minReward is a number, which stands for the key "reward", or a table of numbers.
func minReward() value[map[string]float64] {
	return value[map[string]float64]{"float or table of floats", func(r *reader, n *node) (map[string]float64, bool) {
		if n.kind != isTable {
			f, ok := number().read(r, n)
			return map[string]float64{"reward": f}, ok
		}
		got, ok := make(map[string]float64, len(n.kids)), true
		for _, kid := range n.kids {
			f, good := number().read(r, kid)
			got[kid.name], ok = f, ok && good
		}
		return got, ok
	}}
}

// artifact is a path, or a table.
func artifact() value[Artifact] {
	return value[Artifact]{"string or table", func(r *reader, n *node) (Artifact, bool) {
		var a Artifact
		before := len(r.problems)
		if n.kind == isTable {
			r.table(n, artifactFields(&a))
			return a, len(r.problems) == before
		}
		if n.kind != isString {
			r.wrong(n, "a path, or a table with source")
			return a, false
		}
		a.Source, _ = filled().read(r, n)
		r.artifactPaths(n, &a)
		return a, len(r.problems) == before
	}}
}
