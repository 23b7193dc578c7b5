package stack

import (
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// volumes converts the named volumes that some service mounts.
func (c *converter) volumes(spec *Spec) []Volume {
	used := make(map[string]bool)
	for _, s := range spec.Services {
		for _, m := range s.Mounts {
			if m.Type == MountVolume && m.Source != "" {
				used[m.Source] = true
			}
		}
	}
	var all []Volume
	for _, name := range slices.Sorted(maps.Keys(used)) {
		all = append(all, c.volume(name, c.project.Volumes[name]))
	}
	return all
}

func (c *converter) volume(name string, from types.VolumeConfig) Volume {
	at := func(key string) Place { return c.at("volumes", name, key) }
	v := Volume{Name: name}
	if from.External {
		if c.allowed(AllowOutsideVolumes, at("external"), "the volume is not the trial's own") {
			v.External = from.Name
			if v.External == "" {
				v.External = name
			}
		}
		return v
	}
	v.Labels = c.labelSet(from.Labels, "volumes", name, "labels")
	if c.fixedName(from.Name) {
		c.warn(at("name"), "ignored: every trial gets a volume of its own")
	}
	if from.Driver != "" && from.Driver != "local" {
		c.unsupported(at("driver"), from.Driver+"; volumes are the engine's local ones")
	}
	if len(from.DriverOpts) > 0 {
		v.DriverOpts = c.driverOpts(from.DriverOpts, at("driver_opts"))
	}
	return v
}

// driverOpts checks the options of the local driver, which are those of mount(8): with "o: bind" a volume is a host
// folder, and with other types it reaches devices and servers.
func (c *converter) driverOpts(opts types.Options, at Place) map[string]string {
	out := maps.Clone(map[string]string(opts))
	options := strings.Split(opts["o"], ",")
	bound := slices.Contains(options, "bind") || slices.Contains(options, "rbind")
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if name != "type" && name != "o" && name != "device" {
			c.unsupported(at, "option "+name+"; the options are type, o and device")
		}
	}
	switch {
	case bound:
		out["device"] = c.absolute(opts["device"], c.in.Dir, at)
		c.mountable(out["device"], slices.Contains(options, "ro"), at)
	case opts["type"] == "tmpfs":
	default:
		c.unsupported(at, "a volume of type "+opts["type"]+"; the types are tmpfs, and none with o: bind")
	}
	return out
}
