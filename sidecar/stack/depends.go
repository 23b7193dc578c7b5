package stack

import (
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// depends converts depends_on. A service whose network is used by another is a dependency of that one.
func (c *converter) depends(s *Service, from types.ServiceConfig) {
	deps := maps.Clone(from.DependsOn)
	if deps == nil {
		deps = make(types.DependsOnConfig)
	}
	if other, ok := strings.CutPrefix(s.NetworkMode, serviceMode); ok {
		if _, said := deps[other]; !said {
			deps[other] = types.ServiceDependency{Condition: string(Started), Required: true}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deps)) {
		d := deps[name]
		at := c.at("services", s.Name, "depends_on", name)
		other, ok := c.project.Services[name]
		if !ok {
			_, disabled := c.project.DisabledServices[name]
			switch {
			case disabled && !d.Required:
			case disabled:
				c.invalid(at, "service "+name+" has profiles and is not started")
			default:
				c.invalid(at, "there is no service "+name+c.didYouMean(name))
			}
			continue
		}
		condition := Condition(d.Condition)
		switch condition {
		case "":
			condition = Started
		case Healthy:
			if h := other.HealthCheck; h != nil && (h.Disable || len(h.Test) > 0 && h.Test[0] == "NONE") {
				c.invalid(at, "service "+name+" has its health check turned off and never becomes healthy")
			}
		case Completed:
			if name == Main {
				c.invalid(at, "the agent's container does not end before the trial does")
			}
		case Started:
		}
		s.DependsOn = append(s.DependsOn, Dependency{Service: name, Condition: condition, Required: d.Required})
	}
}

// order reports services that wait for one another in a circle, each circle once.
func (c *converter) order(spec *Spec) {
	const visiting, done = 1, 2
	state := make(map[string]int)
	var trail []string
	var visit func(name string)
	visit = func(name string) {
		switch state[name] {
		case done:
			return
		case visiting:
			circle := append(slices.Clone(trail[slices.Index(trail, name):]), name)
			c.invalid(c.at("services", name, "depends_on"), "services wait for one another in a circle: "+strings.Join(circle, " -> "))
			return
		}
		state[name] = visiting
		trail = append(trail, name)
		if s := spec.find(name); s != nil {
			for _, d := range s.DependsOn {
				visit(d.Service)
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
	}
	for _, s := range spec.Services {
		visit(s.Name)
	}
}
