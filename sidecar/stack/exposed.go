package stack

import (
	"path"
	"path/filepath"
	"strings"
)

// graderFolders are what the agent must not see, under the task's folder.
func graderFolders() []string { return []string{"tests", "solution"} }

// exposed warns when a mount lets the agent see the tests or the solution, unless another mount covers them up.
func (c *converter) exposed(s *Service) {
	for _, m := range s.Mounts {
		if m.Type != MountBind {
			continue
		}
		for _, name := range graderFolders() {
			hidden := filepath.Join(c.dir.path, name)
			if _, err := c.dir.root.Stat(name); err != nil {
				continue
			}
			rel, err := filepath.Rel(m.Source, hidden)
			if below, _ := filepath.Rel(hidden, m.Source); filepath.IsLocal(below) {
				rel, err = ".", nil
			}
			target := path.Join(m.Target, filepath.ToSlash(rel))
			if err != nil || !filepath.IsLocal(rel) || covered(s.Mounts, target, m.Target) {
				continue
			}
			text := "the agent can read the task's " + name + "/ through the mount on " + m.Target
			if target != m.Target {
				text += "; cover it with an anonymous volume on " + target
			}
			c.exposes(c.at("services", s.Name, "volumes"), text)
		}
	}
}

// covered says whether a volume or tmpfs hides target, which is below base.
func covered(mounts []Mount, target, base string) bool {
	for _, m := range mounts {
		if m.Target != base && m.Type != MountBind && strings.HasPrefix(target+"/", m.Target+"/") && strings.HasPrefix(m.Target+"/", base+"/") {
			return true
		}
	}
	return false
}

// exposedByBuild warns when main's image could contain the tests or the solution.
func (c *converter) exposedByBuild(service, context string, at Place) {
	if service != Main {
		return
	}
	for _, name := range graderFolders() {
		rel, err := filepath.Rel(context, filepath.Join(c.dir.path, name))
		if _, statErr := c.dir.root.Stat(name); statErr == nil && err == nil && filepath.IsLocal(rel) {
			c.exposes(at, "the build context has the task's "+name+"/ in it, so the image may too; keep it out with .dockerignore")
		}
	}
}
