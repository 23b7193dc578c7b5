package stack

import (
	"math"

	"github.com/compose-spec/compose-go/v2/types"
)

// health converts a health check.
func (c *converter) health(s *Service, from types.ServiceConfig) {
	h := from.HealthCheck
	if h == nil {
		return
	}
	if h.Disable {
		s.Healthcheck = &Healthcheck{Test: []string{"NONE"}}
		return
	}
	path := func(key string) []string { return []string{"services", s.Name, "healthcheck", key} }
	s.Healthcheck = &Healthcheck{
		Test:          h.Test,
		Interval:      c.duration(h.Interval, path("interval")...),
		Timeout:       c.duration(h.Timeout, path("timeout")...),
		StartPeriod:   c.duration(h.StartPeriod, path("start_period")...),
		StartInterval: c.duration(h.StartInterval, path("start_interval")...),
	}
	if h.Retries != nil {
		s.Healthcheck.Retries = int(min(*h.Retries, math.MaxInt32))
	}
	if len(h.Test) == 0 {
		return
	}
	switch h.Test[0] {
	case "NONE":
	case "CMD", "CMD-SHELL":
		if len(h.Test) < 2 || h.Test[0] == "CMD-SHELL" && len(h.Test) > 2 {
			c.invalid(c.at(path("test")...), h.Test[0]+" takes a command: [\"CMD\", \"prog\", \"arg\"] or [\"CMD-SHELL\", \"line\"]")
		}
	default:
		c.invalid(c.at(path("test")...), "a list has to begin with CMD, CMD-SHELL or NONE; a single text is run by a shell")
	}
}
