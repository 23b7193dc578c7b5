package check

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// fetch is something that a command gets from the network.
type fetch struct {
	what string
	host string   // empty when it is not known
	list []string // what is installed, where that is known
	url  bool     // it is fetched by its address, so that nothing can have it already
	runs bool     // what is fetched is run
}

// program is the first word of what fetches.
func (f *fetch) program() string {
	name, _, _ := strings.Cut(f.what, " ")
	return name
}

// fetchOf reads what a command gets from the network; nil for nothing.
func fetchOf(args []string) *fetch {
	if len(args) == 0 {
		return nil
	}
	name, rest := path.Base(args[0]), args[1:]
	if name == "pip3" || strings.HasPrefix(name, "pip3.") {
		name = "pip"
	}
	if strings.HasPrefix(name, "python") && len(rest) > 1 && rest[0] == "-m" && rest[1] == "pip" {
		name, rest = "pip", rest[2:]
	}
	verb, rest := verbOf(name, rest)
	switch name {
	case "curl", "wget", "git":
		return address(name, verb, args[1:])
	case "npx", "uvx", "bunx", "pnpx":
		if verb == "" {
			return nil
		}
		return &fetch{what: name, runs: true}
	case "apt-get", "apt", "aptitude":
		if verb == "install" {
			return &fetch{what: name + " install", list: plain(rest)}
		}
		if verb == "update" {
			return &fetch{what: name + " update"}
		}
	case "apk", "dnf", "yum", "microdnf", "conda", "mamba", "gem", "brew":
		if verb == "add" || verb == "install" {
			return &fetch{what: name + " " + verb, list: plain(rest)}
		}
	case "pip":
		return pip(name, verb, rest)
	case "uv":
		if verb == "pip" || verb == "tool" {
			sub, more := verbOf("pip", rest)
			return pip("uv "+verb, sub, more)
		}
		if verb == "add" || verb == "sync" {
			return &fetch{what: "uv " + verb, host: "pypi.org"}
		}
	case "npm", "yarn", "pnpm", "bun":
		if slices.Contains([]string{"install", "ci", "i", "add"}, verb) {
			return &fetch{what: name + " " + verb, host: "registry.npmjs.org"}
		}
	case "cargo", "go":
		if verb == "install" || verb == "get" {
			return &fetch{what: name + " " + verb, host: map[string]string{"go": "proxy.golang.org"}[name]}
		}
	}
	return nil
}

// verbOf takes the first word that is no option.
func verbOf(_ string, args []string) (verb string, rest []string) {
	for i, a := range args {
		if !strings.HasPrefix(a, "-") && a != "" {
			return a, args[i+1:]
		}
	}
	return "", nil
}

// plain are the words that are no options.
func plain(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") || a == "" })
}

func pip(name, verb string, rest []string) *fetch {
	if verb != "install" && verb != "download" {
		return nil
	}
	f := &fetch{what: name + " " + verb, host: "pypi.org", list: plain(rest)}
	for _, a := range rest {
		switch {
		case a == "--no-index" || strings.HasPrefix(a, "--find-links") || a == "-f":
			return nil
		case strings.HasPrefix(a, "--index-url") || strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--extra-index-url"):
			f.host = ""
		case strings.Contains(a, "://"):
			f.host, f.url = hostOf(a), true
		}
	}
	local := func(a string) bool { return strings.HasPrefix(a, ".") || strings.HasPrefix(a, "/") }
	if len(f.list) > 0 && !slices.ContainsFunc(f.list, func(a string) bool { return !local(a) }) {
		return nil // what these need may be there
	}
	return f
}

// address reads what curl, wget and git fetch by its address.
func address(name, verb string, args []string) *fetch {
	if name == "git" && verb != "clone" {
		return nil
	}
	for _, a := range args {
		host := hostOf(a)
		if host == "" || strings.HasPrefix(a, "-") {
			continue
		}
		if name == "git" {
			name += " clone"
		}
		return &fetch{what: name, host: host, url: true}
	}
	return nil
}

// hostOf is the host of an address, or "" when there is none, or it is not known.
func hostOf(a string) string {
	if at, ok := strings.CutPrefix(a, "git@"); ok {
		host, _, _ := strings.Cut(at, ":")
		return host
	}
	i := strings.Index(a, "://")
	if i < 0 {
		return ""
	}
	u, err := url.Parse(strings.ReplaceAll(strings.TrimPrefix(a[:i], "git+")+a[i:], hole, "_"))
	if err != nil || u.Scheme == "file" {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// outside says whether a host is neither this machine nor a service of the task.
func (l *looking) outside(host string, p task.Part) bool {
	if !strings.Contains(host, ".") || strings.Contains(host, "_") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".internal") {
		return false
	}
	if l.task.Plan == nil {
		return true
	}
	specs := []*stack.Spec{l.task.Plan.Spec}
	for i := range l.task.Plan.Steps {
		if g := l.task.Plan.Steps[i].Grader; g != nil && l.task.Plan.Steps[i].Part.Step == p.Step {
			specs = append(specs, g.Spec)
		}
	}
	for _, spec := range specs {
		for i := range spec.Services {
			s := &spec.Services[i]
			if s.Name == host || s.Hostname == host || slices.ContainsFunc(s.Networks, func(a stack.Attachment) bool { return slices.Contains(a.Aliases, host) }) ||
				slices.ContainsFunc(s.ExtraHosts, func(h string) bool { return strings.HasPrefix(h, host) }) {
				return false
			}
		}
	}
	return true
}

// network tells of what a script fetches while it grades.
func (l *looking) network(s *script) {
	policy, part := l.policy(s)
	seen := map[string]bool{}
	for _, step := range s.steps {
		f := fetchOf(step.Command())
		if f == nil || f.url && f.host != "" && !l.outside(f.host, part) || seen[f.program()+f.host] {
			continue
		}
		seen[f.program()+f.host] = true
		out := Finding{Code: "network_at_grading", File: s.rel, Line: step.Line, Column: step.Column}
		what := strings.ReplaceAll(f.what, hole, "...")
		switch policy.Mode {
		case task.NoNetwork:
			out.Severity = Error
			out.Message = what + " needs the network, and the tests have none (" + policy.Source + ")"
			if step.Tolerated || step.Conditional || !f.url && l.mayBeThere(f, part) || strings.Contains(step.Text, "2>/dev/null") {
				out.Severity = Warning
			}
		case task.Allowlist:
			out.Message = what + " gets something from the network while grading"
			if f.host != "" && !(egress.Policy{Hosts: policy.Hosts}).Name(f.host) {
				out.Severity = Warning
				out.Message = what + " needs " + f.host + ", which is not among the allowed hosts (" + policy.Source + ")"
			}
		default:
			out.Message = what + " gets something from the network while grading"
			if f.host != "" {
				out.Message = what + " gets something from " + f.host + " while grading"
			}
		}
		l.say(out)
	}
}

// policy is the most that any part which uses a script may reach.
func (l *looking) policy(s *script) (task.Policy, task.Part) {
	best, part := task.Policy{Mode: task.NoNetwork}, s.parts[0]
	for i, p := range s.parts {
		n := l.conf.VerifierNetwork(p.Step)
		if i == 0 || n.Mode == task.Public || n.Mode == task.Allowlist && best.Mode == task.NoNetwork {
			best, part = n, p
		}
	}
	return best, part
}

// mayBeThere says whether what would be fetched may be in the image already, so that nothing has to be.
func (l *looking) mayBeThere(f *fetch, p task.Part) bool {
	m := l.imageOf(p)
	if m == nil || len(f.list) == 0 {
		return true
	}
	for _, name := range f.list {
		if i := strings.IndexAny(name, "=<>~![@;"); i > 0 {
			name = name[:i]
		}
		if !m.mentions(strings.ToLower(name)) {
			return false
		}
	}
	return true
}
