package check

import (
	"path"
	"strings"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/task"
)

// image is what is known of an image from its Dockerfile.
type image struct {
	base  string // what it starts from
	chain []images.Stage
	text  string // of the Dockerfile, in lower case
}

// mentions says whether the Dockerfile has a word.
func (m *image) mentions(word string) bool { return strings.Contains(m.text, word) }

// bare says whether nothing is run or copied from elsewhere on the way from the base.
func (m *image) bare() bool {
	for _, s := range m.chain {
		if len(s.Runs) > 0 {
			return false
		}
		for _, c := range s.Copies {
			if c.From != "" {
				return false
			}
		}
	}
	return true
}

// is says whether the base is one of the official images of these names, and of no variant of them.
func (m *image) is(names ...string) bool {
	ref, _, _ := strings.Cut(m.base, "@")
	name, _, _ := strings.Cut(path.Base(ref), ":")
	dir := strings.TrimSuffix(path.Dir(ref), "/")
	official := dir == "." || dir == "library" || strings.HasSuffix(dir, "docker.io") || strings.HasSuffix(dir, "docker.io/library") || strings.HasSuffix(dir, "/library")
	for _, n := range names {
		if name == n && official {
			return true
		}
	}
	return false
}

// imageOf reads the Dockerfile of the image in which a part's tests run; nil when there is none, or something else is used.
func (l *looking) imageOf(p task.Part) *image {
	if p.Mode == task.Separate {
		env, _ := l.conf.VerifierEnvironment(p.Step)
		if env.DockerImage != "" || p.Verifier.Compose || !p.Verifier.Dockerfile {
			return nil
		}
		return l.dockerfile(beside(p.Verifier.Dir, "Dockerfile"))
	}
	return l.mainImage()
}

// mainImage reads the Dockerfile of the agent's image.
func (l *looking) mainImage() *image {
	if l.conf.Environment.DockerImage != "" || !l.t.HasDockerfile || l.t.HasCompose && !l.composeBuilds() {
		return nil
	}
	return l.dockerfile("environment/Dockerfile")
}

// composeBuilds says whether the compose file leaves it to the Dockerfile what main is.
func (l *looking) composeBuilds() bool {
	p := l.task.Plan
	return p != nil && p.Images["main"].Build != nil && p.Images["main"].Build.Context == path.Join(l.t.Dir, "environment") && p.Images["main"].Build.Dockerfile == "" && p.Images["main"].Build.Target == ""
}

func (l *looking) dockerfile(rel string) *image {
	text := l.files.file(rel)
	if text == nil {
		return nil
	}
	o, err := images.ReadOutline(text)
	if err != nil {
		return nil
	}
	chain := o.Chain("")
	if len(chain) == 0 {
		return nil
	}
	return &image{base: chain[0].Base, chain: chain, text: strings.ToLower(string(text))}
}
