package stack

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/distribution/reference"
)

// image decides what the service runs: the task's own image, one of its own to build, or one to pull.
func (c *converter) image(s *Service, from types.ServiceConfig) {
	s.Platform = from.Platform
	s.PullPolicy = c.pullPolicy(s.Name, from.PullPolicy)
	mainName := c.in.Vars["MAIN_IMAGE_NAME"]
	own := from.Image == placeholder || from.Image != "" && from.Image == mainName
	switch {
	case from.Build != nil:
		s.Build = c.build(s.Name, from.Build)
		if s.Name == Main && c.in.MainBuilt && isOwnBuild(s.Build, c.in.Dir) {
			s.Build, s.TaskImage = nil, true
		}
	case own:
		s.TaskImage = true
	case s.Name == Main && c.in.MainBuilt:
		s.TaskImage = true
		c.warn(c.at("services", s.Name, "image"), "ignored: the task has a Dockerfile, which main is built from")
	case from.Image == "":
		c.invalid(c.at("services", s.Name), "has neither image nor build")
	default:
		s.Image = from.Image
		if _, err := reference.ParseNormalizedNamed(from.Image); err != nil {
			c.invalid(c.at("services", s.Name, "image"), "is not an image reference")
		}
	}
	if s.TaskImage {
		s.Image, s.PullPolicy = c.in.MainImage, ""
	}
}

// isOwnBuild says whether b is what the task's own image is built from anyway.
func isOwnBuild(b *Build, dir string) bool {
	return b.Context == filepath.Clean(dir) && (b.Dockerfile == "" || b.Dockerfile == "Dockerfile") &&
		b.DockerfileInline == "" && b.Target == "" && len(b.Args) == 0 && b.Network == ""
}

func (c *converter) pullPolicy(service, policy string) string {
	switch policy {
	case "", types.PullPolicyAlways, types.PullPolicyMissing, types.PullPolicyNever, types.PullPolicyBuild:
		return policy
	case types.PullPolicyIfNotPresent:
		return types.PullPolicyMissing
	}
	c.unsupported(c.at("services", service, "pull_policy"),
		policy+"; the policies are always, missing, never and build")
	return ""
}

// build converts a build section. Its context has to be in the task's folder.
func (c *converter) build(service string, from *types.BuildConfig) *Build {
	at := func(key string) Place { return c.at("services", service, "build", key) }
	b := &Build{DockerfileInline: from.DockerfileInline, Target: from.Target}
	for _, remote := range []string{"https://", "http://", "git://", "ssh://", "github.com/", "git@", "docker-image://", "service:"} {
		if strings.HasPrefix(from.Context, remote) {
			c.unsupported(at("context"), "a build context that is not a folder; copy it into the task's folder")
			return b
		}
	}
	b.Context = c.absolute(from.Context, c.in.Dir, at("context"))
	c.inside(b.Context, at("context"))
	if from.Dockerfile != "" {
		if from.DockerfileInline != "" {
			c.invalid(at("dockerfile_inline"), "dockerfile and dockerfile_inline exclude each other")
		}
		b.Dockerfile = from.Dockerfile
		c.inside(c.absolute(from.Dockerfile, b.Context, at("dockerfile")), at("dockerfile"))
	}
	c.exposedByBuild(service, b.Context, at("context"))
	b.Args = c.buildArgs(service, from.Args, at("args"))
	switch from.Network {
	case "", "default", "bridge":
	case "none":
		b.Network = "none"
	case "host":
		if c.allowed(AllowHostNetwork, at("network"), "the build uses the host's network") {
			b.Network = "host"
		}
	default:
		c.unsupported(at("network"), from.Network+"; the networks of a build are default, none and host")
	}
	if from.Privileged {
		c.unsupported(at("privileged"), "a privileged build")
	}
	if len(from.SSH) > 0 {
		c.unsupported(at("ssh"), "a build gets no keys of the host")
	}
	if len(from.Secrets) > 0 {
		c.unsupported(at("secrets"), "a build gets no secrets")
	}
	return b
}

// buildArgs gives the arguments that have a value, in the file or as a variable of the same name.
func (c *converter) buildArgs(service string, args types.MappingWithEquals, at Place) map[string]string {
	var out map[string]string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value, ok, secret := "", true, false
		if args[name] != nil {
			value = *args[name]
		} else {
			value, ok, secret = c.vars.look(name)
		}
		if !ok {
			c.warn(at, "argument "+name+" is left out: no variable of that name is declared")
			continue
		}
		if secret {
			c.hidden[joined([]string{"services", service, "build", "args"})] = true
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[name] = value
	}
	return out
}

// inside reports a path of a build that is not in the task's folder. A missing one is left to the build to say.
func (c *converter) inside(path string, at Place) {
	_, err := c.dir.stat(path)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errOutside):
		c.allowed(AllowOutsideBuilds, at, path+" is outside the task's folder")
	default:
		c.fail(at, &InvalidError{Place: at, Reason: "cannot be looked at", Cause: err})
	}
}
