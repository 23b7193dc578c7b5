package check

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// leaks finds ways in which the agent gets to see the tests or the solution: by its image, or by what is mounted.
func (l *looking) leaks() {
	l.mounted()
	context, file := l.context()
	if context == "" {
		return
	}
	text := l.files.file(file)
	o, err := images.ReadOutline(text)
	if text == nil || err != nil {
		return
	}
	target := ""
	if p := l.task.Plan; p != nil && p.Images[stack.Main].Build != nil {
		target = p.Images[stack.Main].Build.Target
	}
	ignored := l.ignored(context, file)
	covered := map[string]bool{}
	for _, s := range o.Chain(target) {
		for _, c := range s.Copies {
			if c.From == "" {
				l.copied(file, context, c, ignored, covered)
			}
		}
	}
}

// context is the folder that the agent's image is built from, below the task's, and its Dockerfile; empty when nothing is built, or not from here.
func (l *looking) context() (dir, file string) {
	p := l.task.Plan
	if p == nil {
		if l.t.HasDockerfile && !l.t.HasCompose {
			return "environment", "environment/Dockerfile"
		}
		return "", ""
	}
	b := p.Images[stack.Main].Build
	if b == nil || b.Inline != "" {
		return "", ""
	}
	rel, err := filepath.Rel(l.t.Dir, b.Context)
	if err != nil || !filepath.IsLocal(rel) {
		return "", ""
	}
	name := b.Dockerfile
	if name == "" {
		name = "Dockerfile"
	}
	if filepath.IsAbs(name) {
		if name, err = filepath.Rel(l.t.Dir, name); err != nil || !filepath.IsLocal(name) {
			return "", ""
		}
		return filepath.ToSlash(rel), filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel), path.Join(filepath.ToSlash(rel), filepath.ToSlash(name))
}

func (l *looking) ignored(context, file string) func(string) bool {
	text := l.files.file(file + ".dockerignore")
	if text == nil {
		text = l.files.file(beside(context, ".dockerignore"))
	}
	skip, err := images.Ignored(text)
	if err != nil {
		return func(string) bool { return false }
	}
	return skip
}

// secrets are the files that the agent must not see.
func (l *looking) secrets() []string {
	var all []string
	for _, p := range l.t.Parts {
		if p.TestScript != "" {
			all = append(all, p.TestScript)
		}
		if p.Solution != "" {
			all = append(all, beside(p.Solution, "solve.sh"))
		}
	}
	for _, t := range l.tests {
		if base := path.Base(t); strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py") {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// copied looks at one COPY or ADD: does it bring a secret file, or the like of one, into the image?
func (l *looking) copied(file, context string, c images.Copy, ignored func(string) bool, covered map[string]bool) {
	for _, src := range c.Sources {
		if strings.Contains(src, "$") || strings.Contains(src, "://") {
			continue
		}
		if what := l.covers(context, src, c, ignored, covered); what != "" {
			l.say(Finding{Code: "tests_in_image", File: file, Line: c.Line, Message: what})
			return
		}
	}
}

// covers says how a source brings something secret along, or "".
func (l *looking) covers(context, src string, c images.Copy, ignored func(string) bool, covered map[string]bool) string {
	clean := strings.TrimPrefix(path.Clean("/"+src), "/")
	outside := strings.HasPrefix(path.Clean(src), "..")
	for _, dir := range l.secretDirs() { // from a context that holds them
		in, below := within(context, dir)
		if below && !outside && (clean == "" || matches(clean, in)) && !ignored(in) && !slices.Contains(c.Exclude, in) {
			return "the image gets " + dir + "/, since " + src + " is copied from a build context that holds it"
		}
	}
	if outside && slices.Contains([]string{"tests", "solution"}, first(clean)) || !strings.ContainsAny(src, "*?[") && l.meant(clean) && !l.files.has(beside(context, clean)) {
		return src + " is to be copied into the image, which the agent can read"
	}
	for _, secret := range l.secrets() {
		if l.files.size(secret) < minSecret {
			continue
		}
		for _, twin := range l.twins(context, secret) {
			rel := strings.TrimPrefix(strings.TrimPrefix(twin, context), "/")
			if (clean == "" || matches(clean, rel)) && !ignored(rel) && !covered[twin] {
				covered[twin] = true
				return twin + " is the same as " + secret + ", and is copied into the image, which the agent can read"
			}
		}
	}
	return ""
}

// minSecret is the size in bytes below which files are the same by chance.
const minSecret = 24

// meant says whether a name is that of the task's tests or solution.
func (l *looking) meant(clean string) bool {
	return slices.Contains([]string{"tests/test.sh", "solution", "solution/solve.sh", "solve.sh", "test.sh"}, clean) || clean == "tests" && len(l.tests) > 0
}

func first(p string) string {
	dir, _, _ := strings.Cut(p, "/")
	return dir
}

// secretDirs are the folders of tests and solutions.
func (l *looking) secretDirs() []string {
	var all []string
	for _, p := range l.t.Parts {
		all = append(all, p.Tests...)
		if p.Solution != "" {
			all = append(all, p.Solution)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// within gives a folder's path from another that holds it.
func within(outer, dir string) (rel string, below bool) {
	if outer == "." {
		return dir, true
	}
	rel, below = strings.CutPrefix(dir, outer+"/")
	return rel, below
}

// matches says whether a source of COPY stands for a path, or for a folder that holds it or is in it.
func matches(src, p string) bool {
	if src == p || strings.HasPrefix(p, src+"/") || strings.HasPrefix(src, p+"/") {
		return true
	}
	for q := p; q != "." && q != "/"; q = path.Dir(q) {
		if ok, err := path.Match(src, q); err == nil && ok {
			return true
		}
	}
	return false
}

// twins are the files of the build context that hold the same as a secret file.
func (l *looking) twins(context, secret string) []string {
	if context == "." {
		return nil
	}
	var same []string
	size := l.files.size(secret)
	for _, file := range l.contextFiles(context) {
		if l.files.size(file) == size && bytes.Equal(l.files.file(file), l.files.file(secret)) {
			same = append(same, file)
		}
	}
	return same
}

// contextFiles lists the build context once.
func (l *looking) contextFiles(context string) []string {
	if l.inContext == nil {
		l.inContext = l.files.under(context)
		if l.inContext == nil {
			l.inContext = []string{}
		}
	}
	return l.inContext
}

// mounted finds folders of the task that the agent's container has mounted and that hold tests or solution.
func (l *looking) mounted() {
	p := l.task.Plan
	if p == nil {
		return
	}
	for i := range p.Spec.Services {
		s := &p.Spec.Services[i]
		if s.Name != stack.Main {
			continue
		}
		for _, m := range s.Mounts {
			if m.Type == stack.MountBind {
				l.bound(s, m)
			}
		}
	}
	if p.UploadEnvironment { // the whole folder goes into the container
		for _, secret := range l.secrets() {
			if twins := l.twins("environment", secret); l.files.size(secret) >= minSecret && len(twins) > 0 {
				l.say(Finding{Code: "tests_in_image", File: twins[0], Message: "the file is the same as " + secret + ", and is put where the agent can read it"})
				return
			}
		}
	}
}

func (l *looking) bound(s *stack.Service, m stack.Mount) {
	for _, dir := range l.secretDirs() {
		rel, err := filepath.Rel(m.Source, filepath.Join(l.t.Dir, filepath.FromSlash(dir)))
		inside := err == nil && filepath.IsLocal(rel)
		if !inside {
			if up, err := filepath.Rel(filepath.Join(l.t.Dir, filepath.FromSlash(dir)), m.Source); err != nil || !filepath.IsLocal(up) {
				continue
			}
			rel = "."
		}
		at := path.Join(m.Target, filepath.ToSlash(rel))
		hidden := slices.ContainsFunc(s.Mounts, func(o stack.Mount) bool {
			return o.Target != m.Target && (o.Target == at || strings.HasPrefix(at, o.Target+"/")) && strings.HasPrefix(o.Target, m.Target)
		})
		if !hidden {
			l.say(Finding{Code: "tests_in_image", File: "environment/docker-compose.yaml", Line: lineOf(string(l.files.file("environment/docker-compose.yaml")), ":"+m.Target), Key: "services." + s.Name + ".volumes",
				Message: dir + "/ is mounted at " + at + ", where the agent can read it"})
			return
		}
	}
}
