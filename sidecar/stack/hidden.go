package stack

import (
	"maps"
	"slices"
	"strings"
)

// hide notes in s which of its values are not to be shown.
func (c *converter) hide(s *Service) {
	for path := range c.hidden {
		part := strings.Split(path, "/")
		if len(part) < 3 || part[0] != "services" || part[1] != s.Name {
			continue
		}
		key := part[2]
		switch {
		case key == "environment" && len(part) >= 4:
			if s.Secret == nil {
				s.Secret = make(map[string]bool)
			}
			s.Secret[strings.Join(part[3:], "/")] = true
			continue
		case key == "build" && len(part) > 3:
			key += "." + part[3]
		}
		if s.Hidden == nil {
			s.Hidden = make(map[string]bool)
		}
		s.Hidden[key] = true
	}
}

// secretsOutside reports secrets in networks and volumes, which the engine shows to everybody.
func (c *converter) secretsOutside() {
	for _, path := range slices.Sorted(maps.Keys(c.hidden)) {
		if part := strings.Split(path, "/"); part[0] != "services" {
			c.invalid(c.at(part...), "holds a variable from the host, which may only stand in a service")
		}
	}
}
