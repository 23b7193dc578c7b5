package stack

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// reserved is where the tool's own helper is mounted in every container.
const reserved = "/.seatrial"

// mounts converts volumes and tmpfs of a service.
func (c *converter) mounts(s *Service, from types.ServiceConfig) {
	taken := make(map[string]bool)
	add := func(m Mount, at Place) {
		if !path.IsAbs(m.Target) {
			c.invalid(at, "target "+m.Target+" is not an absolute path")
			return
		}
		m.Target = path.Clean(m.Target)
		switch {
		case m.Target == "/":
			c.invalid(at, "nothing can be mounted on the container's root")
		case m.Target == reserved || strings.HasPrefix(m.Target, reserved+"/"):
			c.invalid(at, "target "+m.Target+" is reserved for the tool")
		case taken[m.Target]:
			c.invalid(at, "something else is mounted on "+m.Target+" already")
		default:
			taken[m.Target] = true
			s.Mounts = append(s.Mounts, m)
		}
	}
	for i, v := range from.Volumes {
		at := c.at("services", s.Name, "volumes", item(i))
		if m, ok := c.mount(v, at); ok {
			add(m, at)
		}
	}
	for i, text := range from.Tmpfs {
		at := c.at("services", s.Name, "tmpfs", item(i))
		add(c.tmpfs(text, at), at)
	}
	if s.Name == Main {
		c.exposed(s)
	}
}

// mount converts one item of volumes.
func (c *converter) mount(v types.ServiceVolumeConfig, at Place) (Mount, bool) {
	m := Mount{Target: v.Target, ReadOnly: v.ReadOnly, Source: v.Source}
	switch v.Type {
	case types.VolumeTypeVolume:
		m.Type = MountVolume
		if v.Volume != nil {
			m.NoCopy, m.Subpath = v.Volume.NoCopy, v.Volume.Subpath
		}
		if m.Subpath != "" && !filepath.IsLocal(m.Subpath) {
			c.invalid(at, "subpath leads out of the volume")
		}
		if _, ok := c.project.Volumes[v.Source]; !ok && v.Source != "" {
			c.invalid(at, "volume "+v.Source+" is not declared under volumes; for a folder write ./"+v.Source)
			return m, false
		}
		return m, true
	case types.VolumeTypeTmpfs:
		m.Type, m.Source = MountTmpfs, ""
		if v.Tmpfs != nil {
			m.TmpfsMax, m.TmpfsMod = int64(v.Tmpfs.Size), v.Tmpfs.Mode
		}
		return m, true
	case types.VolumeTypeBind:
		if v.Bind != nil && v.Bind.Propagation != "" && v.Bind.Propagation != "private" && v.Bind.Propagation != "rprivate" {
			c.unsupported(at, "mount propagation "+v.Bind.Propagation)
		}
		return c.bind(m, at)
	}
	c.unsupported(at, "mount type "+v.Type+"; the types are volume, bind and tmpfs")
	return m, false
}

// bind converts a bind of a host path: one of the trial's log folders, or something in the task's folder.
func (c *converter) bind(m Mount, at Place) (Mount, bool) {
	if m.Source == "" {
		c.invalid(at, "a bind needs a source")
		return m, false
	}
	m.Type, m.Source = MountBind, c.absolute(m.Source, c.in.Dir, at)
	for placeholder, kind := range c.in.LogPaths {
		switch clean := filepath.Clean(placeholder); {
		case m.Source == clean:
			m.Type, m.Source = MountLogs, kind
			return m, true
		case strings.HasPrefix(m.Source, clean+string(filepath.Separator)):
			c.unsupported(at, "a folder inside the trial's log folder; mount the log folder itself")
			return m, false
		}
	}
	return m, c.mountable(m.Source, m.ReadOnly, at)
}

// mountable says whether a host path may be mounted.
func (c *converter) mountable(source string, readOnly bool, at Place) bool {
	_, err := c.dir.stat(source)
	switch {
	case errors.Is(err, errOutside):
		return c.outside(source, at)
	case errors.Is(err, fs.ErrNotExist):
		c.invalid(at, "there is no "+source+"; create it in the task's folder")
		return false
	case err != nil:
		c.fail(at, &InvalidError{Place: at, Reason: "source cannot be looked at", Cause: err})
		return false
	case !readOnly:
		return c.allowed(AllowWritableBinds, at, "the container could change the task's own files under "+source+" (add :ro to only read them)")
	}
	return true
}

// tmpfs converts "TARGET:OPTIONS".
func (c *converter) tmpfs(text string, at Place) Mount {
	target, options, _ := strings.Cut(text, ":")
	m := Mount{Type: MountTmpfs, Target: target}
	if options == "" {
		return m
	}
	for option := range strings.SplitSeq(options, ",") {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "size":
			m.TmpfsMax = c.bytes(value, at)
		case "mode":
			m.TmpfsMod = c.octal(value, at)
		case "ro":
			m.ReadOnly = true
		case "rw":
		case "exec", "noexec", "suid", "nosuid", "dev", "nodev", "uid", "gid", "nr_inodes", "nr_blocks", "noatime", "relatime":
			m.TmpfsOpt = append(m.TmpfsOpt, option)
		default:
			c.unsupported(at, "tmpfs option "+option)
		}
	}
	return m
}
