package stack

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// environment puts together a service's variables: its env files, then its environment section, then, in main, the
// variables of task.toml.
func (c *converter) environment(s *Service, from types.ServiceConfig) {
	env := make(map[string]string)
	for i, f := range from.EnvFiles {
		for name, value := range c.envFile(f, c.at("services", s.Name, "env_file", item(i))) {
			env[name] = value.text
			if value.secret {
				c.hidden[joined([]string{"services", s.Name, "environment", name})] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(from.Environment)) {
		at := c.at("services", s.Name, "environment", name)
		if value := from.Environment[name]; value != nil {
			env[name] = *value
			continue
		}
		value, ok, secret := c.vars.look(name)
		if !ok {
			text := "is left unset: no variable " + name + " is declared in [environment.env] of task.toml or with --compose-env"
			if c.vars.onHost(name) {
				text += "; the host's is not handed to tasks"
			}
			c.warn(at, text)
			continue
		}
		env[name] = value
		if secret {
			c.hidden[joined([]string{"services", s.Name, "environment", name})] = true
		}
	}
	if s.Name == Main {
		for name, value := range c.in.MainEnv {
			env[name] = value
			path := joined([]string{"services", Main, "environment", name})
			delete(c.hidden, path)
			if c.in.Secrets[name] {
				c.hidden[path] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(env[name], "\x00") {
			c.invalid(c.at("services", s.Name, "environment"), "a variable has an empty name, or a name or value that no process can have")
		}
	}
	if len(env) > 0 {
		s.Env = env
	}
}

// envFile reads one env file, which has to be in the task's folder.
func (c *converter) envFile(f types.EnvFile, at Place) map[string]envValue {
	path := c.absolute(f.Path, c.in.Dir, at)
	data, err := c.dir.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !bool(f.Required):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		c.invalid(at, "there is no file "+path)
		return nil
	case err != nil:
		c.fail(at, &InvalidError{Place: at, Reason: "env file " + path, Cause: err})
		return nil
	}
	switch f.Format {
	case "":
		return readEnv(path, string(data), c.vars, c.report)
	case "raw":
		return c.rawEnv(string(data), at)
	}
	c.unsupported(at, "env file format "+f.Format)
	return nil
}

// rawEnv reads NAME=value lines whose values stand as they are.
func (c *converter) rawEnv(text string, at Place) map[string]envValue {
	values := make(map[string]envValue)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		one := envValue{text: value}
		if !ok {
			if one.text, ok, one.secret = c.vars.look(name); !ok {
				c.warn(at, "leaves "+name+" unset: no variable of that name is declared")
				continue
			}
		}
		values[name] = one
	}
	return values
}
