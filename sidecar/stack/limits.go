package stack

import (
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// limits converts what the container may use. In main the compose file's word goes before that of task.toml.
func (c *converter) limits(s *Service, from types.ServiceConfig) {
	limit, reserve := &types.Resource{}, &types.Resource{}
	if d := from.Deploy; d != nil {
		if d.Resources.Limits != nil {
			limit = d.Resources.Limits
		}
		if d.Resources.Reservations != nil {
			reserve = d.Resources.Reservations
		}
	}
	both := func(short, long string) []Place {
		path := append([]string{"services", s.Name, "deploy", "resources"}, strings.Split(long, ".")...)
		return []Place{c.given("services", s.Name, short), c.given(path...)}
	}
	s.CPUs = one(c, both("cpus", "limits.cpus"), decimal(from.CPUS), decimal(float32(limit.NanoCPUs)))
	s.Memory = one(c, both("mem_limit", "limits.memory"), int64(from.MemLimit), int64(limit.MemoryBytes))
	s.MemoryRes = one(c, both("mem_reservation", "reservations.memory"), int64(from.MemReservation), int64(reserve.MemoryBytes))
	s.ShmSize = one(c, []Place{c.given("services", s.Name, "shm_size")}, int64(from.ShmSize))
	s.Pids = max(from.PidsLimit, -1)
	if limit.Pids != 0 {
		s.Pids = max(limit.Pids, -1)
	}
	s.MemorySwap = max(int64(from.MemSwapLimit), -1)
	if s.Name == Main {
		if s.CPUs == 0 {
			s.CPUs = c.in.CPUs
		}
		if s.Memory == 0 {
			s.Memory = c.in.Memory
		}
	}
	if s.MemorySwap > 0 && s.MemorySwap < s.Memory {
		c.invalid(c.at("services", s.Name, "memswap_limit"), "is memory and swap together, so it cannot be less than the memory limit")
	}
	for _, name := range slices.Sorted(maps.Keys(from.Ulimits)) {
		if u := from.Ulimits[name]; u != nil {
			l := Ulimit{Name: name, Soft: int64(u.Soft), Hard: int64(u.Hard)}
			if u.Single != 0 {
				l.Soft, l.Hard = int64(u.Single), int64(u.Single)
			}
			s.Ulimits = append(s.Ulimits, l)
		}
	}
	devices := []string{"services", s.Name, "deploy", "resources", "reservations", "devices"}
	for i, d := range reserve.Devices {
		if !slices.Contains(d.Capabilities, "gpu") {
			c.unsupported(c.at(extend(devices, item(i))...), "a device without the capability gpu")
		}
	}
	s.GPUs = c.gpus(from.Gpus, c.at("services", s.Name, "gpus"))
	if n := c.gpus(reserve.Devices, c.at(devices...)); n != 0 {
		s.GPUs = n
	}
	if s.Name == Main && s.GPUs == 0 {
		s.GPUs = c.in.GPUs
	}
}

// given is the place of a key that the file has, and the zero Place otherwise.
func (c *converter) given(path ...string) Place {
	if !c.has(path...) {
		return Place{}
	}
	return c.at(path...)
}

// one gives the value of a limit that can be written in several places, which must agree.
func one[T int64 | float64](c *converter, places []Place, values ...T) T {
	var value T
	for i, at := range places {
		if at == (Place{}) {
			continue
		}
		switch {
		case values[i] <= 0:
			c.invalid(at, "is not a limit above zero")
		case value != 0 && value != values[i]:
			c.invalid(at, "says something else than "+places[0].Key)
		default:
			value = values[i]
		}
	}
	return value
}

// gpus counts the devices asked for, -1 meaning all.
func (c *converter) gpus(requests []types.DeviceRequest, at Place) int {
	count := 0
	for _, r := range requests {
		switch {
		case r.Driver != "" && r.Driver != "nvidia":
			c.unsupported(at, "driver "+r.Driver)
		case len(r.IDs) > 0:
			c.unsupported(at, "device_ids: a task cannot know the ids of the machine it runs on; ask for a count")
		case r.Count < 0 || count < 0:
			count = -1
		default:
			count += int(min(r.Count, 1024))
		}
	}
	return count
}
