package task

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// older holds the spellings of [environment] that newer keys have replaced.
type older struct {
	memory, storage Opt[int64]
	internet        Opt[bool]
}

// settle reads the older spellings into e.
func (o *older) settle(r *reader, n *node, e *Environment) {
	r.oneSize(n, "memory", o.memory, &e.MemoryMB)
	r.oneSize(n, "storage", o.storage, &e.StorageMB)
	r.hostsNeedList(n, e.Network)
	if !o.internet.Set {
		return
	}
	mode := NoNetwork
	if o.internet.Value {
		mode = Public
	}
	if n.kid("network_mode") == nil && n.kid("allowed_hosts") == nil {
		e.Network.Mode, e.Network.Key = Opt[NetworkMode]{Set: true, Value: mode}, "allow_internet"
		return
	}
	closed := e.Network.Mode.Or(Public) == NoNetwork
	if e.Network.Mode.Set && closed == o.internet.Value {
		r.fault(n.kid("allow_internet"), `contradicts network_mode = "`+string(e.Network.Mode.Value)+`" in the same table; remove one`, "")
		return
	}
	r.warn(IgnoredKey, n.kid("allow_internet"), "has no effect beside network_mode or allowed_hosts in the same table")
}

// oneSize takes the older spelling of a size when the newer is missing.
func (r *reader) oneSize(n *node, name string, old Opt[int64], size *Opt[int64]) {
	switch {
	case !old.Set:
	case n.kid(name+"_mb") == nil:
		*size = old
	case size.Set && size.Value != old.Value:
		r.fault(n.kid(name), "is "+strconv.FormatInt(old.Value, 10)+" MiB but "+name+"_mb = "+
			strconv.FormatInt(size.Value, 10)+" in the same table; remove one", "")
	}
}

// hostsNeedList reports hosts that nothing would ask for.
func (r *reader) hostsNeedList(n *node, net Network) {
	hosts, mode := n.kid("allowed_hosts"), n.kid("network_mode")
	if hosts == nil || net.Mode.Value == Allowlist || mode != nil && !net.Mode.Set {
		return
	}
	r.fault(hosts, `needs network_mode = "allowlist" in the same table`, "")
}

func (r *reader) sharedHasNoEnvironment(n *node, v *Verifier) {
	if v.Mode.Value == Shared && v.Environment != nil {
		r.report(&ConfigError{
			Line: n.kid("environment").key.Line, Column: n.kid("environment").key.Column,
			Key:  n.kid("environment").path(),
			What: `a verifier with environment_mode = "shared" has no environment of its own; remove the table or write "separate"`,
		})
	}
}

func (r *reader) workdirIsAbsolute(n *node, e *Environment) {
	if e.OS == Linux && e.Workdir != "" && !strings.HasPrefix(e.Workdir, "/") {
		r.wrong(n.kid("workdir"), "an absolute path, as container engines demand")
	}
}

func (r *reader) mcpIsReachable(n *node, m *MCPServer) {
	name := "url"
	if m.Transport == Stdio {
		name = "command"
	}
	if n.kid(name) == nil {
		r.report(&ConfigError{
			Line: n.at.Line, Column: n.at.Column, Key: join(n.path(), name),
			What: `this key is required with transport = "` + string(m.Transport) + `"`,
		})
	}
}

// artifactPaths keeps what is collected below the trial's own folder.
func (r *reader) artifactPaths(n *node, a *Artifact) {
	at := func(name string) *node {
		if kid := n.kid(name); kid != nil {
			return kid
		}
		return n
	}
	if climbs(a.Source) || hasControl(a.Source) {
		r.wrong(at("source"), `a path without ".." and control characters`)
	}
	if a.Service == "main" {
		a.Service = ""
	}
	if a.Service != "" && a.Source != "" && !strings.HasPrefix(a.Source, "/") {
		r.wrong(at("source"), "an absolute path when service names a sidecar")
	}
	d := a.Destination
	if strings.HasPrefix(d, "/") || strings.ContainsAny(d, `\:`) || climbs(d) || hasControl(d) ||
		d != "" && path.Clean(d) == "manifest.json" {
		r.wrong(at("destination"), `a relative path with forward slashes, without "..", and not manifest.json`)
	}
}

func climbs(p string) bool {
	return slices.Contains(strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '\\' }), "..")
}

// schema settles the version, which is a label: every version is read alike.
func (r *reader) schema(n *node, c *Config, version, older Opt[string]) {
	from := n.kid("schema_version")
	if from == nil {
		version, from = older, n.kid("version")
	} else if older.Set && older.Value != version.Value {
		r.warn(IgnoredKey, n.kid("version"), "has no effect beside schema_version")
	}
	c.Schema, c.SchemaDeclared = version.Or(NewestSchema), version.Set
	if version.Set && !slices.Contains([]string{"1.0", "1.1", "1.2", "1.3", NewestSchema}, version.Value) {
		r.warn(SchemaVersion, from, "schema "+quoted(version.Value)+" is not known; the task is read as schema "+NewestSchema)
	}
}

// stepNames finds steps that share a folder, on a file system that folds case too.
func (r *reader) stepNames(n *node) {
	steps := n.kid("steps")
	if steps == nil {
		return
	}
	first := map[string]*node{}
	for _, s := range steps.kids {
		name := s.kid("name")
		if name == nil || name.kind != isString {
			continue
		}
		folded := strings.ToLower(name.text)
		if other, taken := first[folded]; taken {
			r.fault(name, "is also the name of the step on line "+strconv.Itoa(other.at.Line)+
				"; names must differ by more than capitals", "")
			continue
		}
		first[folded] = name
	}
}
