package stack

import (
	"path/filepath"
	"slices"
	"strings"
)

// absolute gives path below base, reporting the one form that depends on who runs the task.
func (c *converter) absolute(path, base string, at Place) string {
	if strings.HasPrefix(path, "~") {
		c.unsupported(at, "a path that starts at somebody's home; write it in full or put the files into the task's folder")
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// engineSocket says whether path names the control socket of a container engine.
func engineSocket(path string) bool {
	if !strings.HasSuffix(path, ".sock") {
		return false
	}
	engines := []string{"docker", "containerd", "podman", "crio", "buildkit", "colima", "orbstack"}
	return slices.ContainsFunc(engines, func(e string) bool { return strings.Contains(path, e) })
}

// holdsEngineSocket says whether path is a folder in which engines keep their control sockets or their state.
func holdsEngineSocket(path string) bool {
	path = filepath.ToSlash(path)
	switch path {
	case "/", "/run", "/var", "/var/run", "/var/lib", "/proc", "/run/user", "/var/run/user":
		return true
	}
	path = strings.TrimPrefix(path, "/var")
	for _, dir := range []string{"/run/docker", "/run/containerd", "/run/podman", "/run/crio", "/run/buildkit", "/lib/docker", "/lib/containerd", "/lib/containers"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	// /run/user/1000 and the folders below it belong to rootless engines.
	return strings.HasPrefix(path, "/run/user/") || strings.HasSuffix(path, "/.docker") || strings.HasSuffix(path, "/.docker/run")
}

// outside checks a host path outside the task's folder and says whether it may be mounted.
func (c *converter) outside(path string, at Place) bool {
	real := path
	if c.in.Allow[AllowOutsideBinds] || c.in.Allow[AllowEngineSocket] {
		if p, err := filepath.EvalSymlinks(path); err == nil {
			real = p
		}
	}
	if engineSocket(path) || engineSocket(real) {
		return c.allowed(AllowEngineSocket, at, path+" is a container engine's socket, which is worth root on the host")
	}
	ok := true
	if holdsEngineSocket(path) || holdsEngineSocket(real) {
		ok = c.allowed(AllowEngineSocket, at, path+" gives access to a container engine's socket, which is worth root on the host")
	}
	return c.allowed(AllowOutsideBinds, at, path+" is a host path outside the task's folder") && ok
}
