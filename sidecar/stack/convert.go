package stack

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// Convert makes the specification of a trial's stack from the task's compose file, laid over a base that has the one
// service Main. Without a compose file the stack is that base.
//
// Everything wrong with the file comes back at once as a *ProblemsError, and the warnings come back with it. Any other
// error means that the task's folder or the compose file could not be read.
func Convert(ctx context.Context, in Input) (*Spec, []Warning, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("converting the compose file: %w", err)
	}
	if in.TaskDir == "" {
		in.TaskDir = filepath.Dir(in.Dir)
	}
	dir, err := openFolder(in.TaskDir)
	if err != nil {
		return nil, nil, err
	}
	defer dir.close()

	vars := &variables{in: &in, room: maxText, seen: make(map[string]bool)}
	r := newReport(in.File, vars.redact)
	c := &converter{
		in: &in, report: r, dir: dir, vars: vars, hidden: make(map[string]bool),
		project: &types.Project{Services: types.Services{Main: {Name: Main, ContainerSpec: types.ContainerSpec{Image: placeholder}}}},
	}
	if in.File != "" {
		if c.project, err = c.read(ctx); err != nil {
			return nil, sorted(r.warnings), err
		}
	}
	spec := c.spec()
	if err := r.err(); err != nil {
		return nil, sorted(r.warnings), err
	}
	return spec, sorted(r.warnings), nil
}

// converter turns the loaded project into a Spec.
type converter struct {
	*report

	in      *Input
	dir     *folder
	vars    *variables
	hidden  map[string]bool
	project *types.Project
}

// read loads the compose file. Its error holds all problems found so far when they keep the file from being loaded.
func (c *converter) read(ctx context.Context) (*types.Project, error) {
	data, err := c.dir.read(filepath.Clean(c.in.File))
	if err != nil {
		c.fail(Place{File: c.in.File}, &InvalidError{Place: Place{File: c.in.File}, Reason: "cannot be read", Cause: err})
		return nil, c.err()
	}
	node, err := parse(data)
	if err != nil {
		c.fail(Place{File: c.in.File}, &InvalidError{Place: Place{File: c.in.File}, Reason: "is not valid YAML", Cause: err})
		return nil, c.err()
	}
	c.vars.readDotEnv(c.dir, c.report)
	reader := &reader{vars: c.vars, report: c.report, hidden: c.hidden}
	var tree map[string]any
	if node != nil {
		v, _ := reader.value(node, rules(), nil)
		var ok bool
		if tree, ok = v.(map[string]any); !ok && v != nil {
			c.invalid(c.at(), "the file is not a mapping; it needs a key services")
		}
	}
	if reader.failed || reader.full || tree == nil {
		// What is missing here would only cause more errors further on.
		if err := c.err(); err != nil {
			return nil, err
		}
	}
	tree = withMain(tree)
	project, err := load(ctx, c.in, tree)
	if err == nil {
		return project, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("loading the compose file: %w", ctx.Err())
	}
	found, schemaErr := misshapen(tree, c.report)
	if schemaErr != nil || !found {
		c.fail(c.at(), &InvalidError{Place: c.at(), Reason: "is not a valid compose file: " + c.redact(err.Error())})
	}
	return nil, c.err()
}

// withMain gives every tree a service Main that has an image.
func withMain(tree map[string]any) map[string]any {
	if tree == nil {
		tree = make(map[string]any)
	}
	services, ok := tree["services"].(map[string]any)
	if !ok {
		if tree["services"] != nil {
			return tree // misshapen, which the loader says
		}
		services = make(map[string]any)
		tree["services"] = services
	}
	for name, s := range services {
		if s == nil {
			services[name] = make(map[string]any)
		}
	}
	main, ok := services[Main].(map[string]any)
	if !ok && services[Main] != nil {
		return tree
	}
	if main == nil {
		main = make(map[string]any)
		services[Main] = main
	}
	if main["image"] == nil && main["build"] == nil {
		main["image"] = placeholder
	}
	return tree
}

// spec converts all services, then what they share.
func (c *converter) spec() *Spec {
	c.secretsOutside()
	spec := &Spec{}
	for _, name := range slices.Sorted(maps.Keys(c.project.Services)) {
		spec.Services = append(spec.Services, c.service(name, c.project.Services[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(c.project.DisabledServices)) {
		if name == Main {
			c.invalid(c.at("services", name, "profiles"), "the agent's service cannot have profiles")
			continue
		}
		c.warn(c.at("services", name), "not started, because it has profiles ("+
			strings.Join(c.project.DisabledServices[name].Profiles, ", ")+")")
	}
	spec.Networks = c.networks(spec)
	spec.Volumes = c.volumes(spec)
	c.order(spec)
	c.shareNetwork(spec)
	c.cutOff(spec)
	return spec
}

// service converts one service.
func (c *converter) service(name string, from types.ServiceConfig) Service {
	s := Service{Name: name}
	c.image(&s, from)
	c.process(&s, from)
	c.environment(&s, from)
	c.labels(&s, from)
	c.mounts(&s, from)
	c.connect(&s, from)
	c.depends(&s, from)
	c.health(&s, from)
	c.limits(&s, from)
	c.security(&s, from)
	c.host(&s, from)
	c.hide(&s)
	return s
}

// allowed says whether p is given, and reports at when it is not.
func (c *converter) allowed(p Permission, at Place, reason string) bool {
	if c.in.Allow[p] {
		return true
	}
	c.fail(at, &NotAllowedError{Place: at, Permission: p, Reason: c.redact(reason)})
	return false
}
