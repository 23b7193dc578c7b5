package task

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// AgentFile is an agent.toml: an agent that is installed into a task's image and run there.
type AgentFile struct {
	// Path is the file's, absolute. Dir is its folder, which the installation sees.
	Path, Dir string

	Name    string
	Version string
	// Model is what it uses unless the run says otherwise, as "vendor/model"; empty when it says nothing.
	Model string
	// Files are copied into the image before the installation.
	Files   []AgentPath
	Install AgentInstall
	Run     AgentRun
	// Hosts are those that it must reach while it works, normalised like allowed_hosts.
	Hosts []string
}

// AgentPath is a file or folder of the agent's folder and where it goes in the image.
type AgentPath struct {
	Source, Target string
}

// AgentInstall is the [install] table. It happens once for an image and a state of the agent's folder.
type AgentInstall struct {
	// Script is a file of the agent's folder, run as root in a read-only view of that folder; empty for none.
	Script string
	// Network lets it reach the network. Nothing else does while it installs.
	Network bool
	// Timeout is above 0; the default is DefaultAgentSetupTimeout.
	Timeout time.Duration
}

// AgentRun is the [run] table.
type AgentRun struct {
	// Command is run by the image's shell as the task's agent user, in the task's working directory.
	Command string
	// Continue goes on with the conversation in later steps of a task; empty: Command is run again.
	Continue string
	// Env names variables of the host that it gets. Their values are secrets.
	Env []string
	// Set are variables with values that are no secrets.
	Set EnvTable
	// Timeout limits one run, besides the task's limit; unset means that only the task's holds.
	Timeout Opt[time.Duration]
	// Logs are files or folders in the container that are kept. Trajectory is the file in the ATIF format; empty for /logs/agent/trajectory.json.
	Logs       []string
	Trajectory string
}

// LoadAgent reads an agent.toml. The error is Problems, with file, line and key. Nothing outside of its folder is read, not even through links.
func LoadAgent(file string) (*AgentFile, []Warning, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return nil, nil, Problems{{File: file, What: cause(err)}}
	}
	root, err := os.OpenRoot(filepath.Dir(full))
	if err != nil {
		return nil, nil, Problems{{File: file, What: "cannot be read: " + cause(err)}}
	}
	defer root.Close()
	data, more, err := readUpTo(root, filepath.Base(full), MaxConfigSize)
	if err != nil {
		return nil, nil, Problems{{File: file, What: "cannot be read: " + cause(err)}}
	}
	if more {
		data = append(data, ' ')
	}
	a, warnings, err := ParseAgent(file, data)
	if err != nil {
		return nil, warnings, err
	}
	a.Path, a.Dir = full, filepath.Dir(full)
	for _, rel := range a.needed() {
		if _, err := root.Stat(filepath.FromSlash(rel)); err != nil {
			return nil, warnings, Problems{{File: file, What: rel + " is not in the agent's folder: " + cause(err)}}
		}
	}
	return a, warnings, nil
}

func (a *AgentFile) needed() []string {
	var all []string
	for _, f := range a.Files {
		all = append(all, f.Source)
	}
	if a.Install.Script != "" {
		all = append(all, a.Install.Script)
	}
	return all
}

// ParseAgent decodes the bytes of an agent.toml. file is the name for messages.
func ParseAgent(file string, data []byte) (*AgentFile, []Warning, error) {
	r := &reader{file: file, places: map[string]Position{}, known: &vocabulary{}}
	a := &AgentFile{Install: AgentInstall{Timeout: DefaultAgentSetupTimeout}}
	r.known.gather("", agentFileFields(new(AgentFile)).keys, false)
	r.tree(data, agentFileFields(a))
	if err := r.problems.err(); err != nil {
		return nil, r.warnings, err
	}
	return a, r.warnings, nil
}

func agentFileFields(a *AgentFile) fields {
	return fields{keys: []key{
		need("name", set(&a.Name, trimmed(word()))),
		{name: "version", rule: set(&a.Version, filled())},
		{name: "model", rule: set(&a.Model, filled())},
		{name: "files", rule: rows(&a.Files, AgentPath{}, agentPathFields)},
		{name: "install", rule: inner(fields{keys: []key{
			{name: "script", rule: set(&a.Install.Script, inFolder())},
			{name: "network", rule: set(&a.Install.Network, flag())},
			{name: "timeout_sec", rule: set(&a.Install.Timeout, seconds())},
		}})},
		{name: "run", required: true, rule: inner(fields{keys: []key{
			need("command", set(&a.Run.Command, filled())),
			{name: "continue", rule: set(&a.Run.Continue, filled())},
			{name: "env", rule: set(&a.Run.Env, list(variableName()))},
			{name: "set", rule: set(&a.Run.Set, environ())},
			{name: "timeout_sec", rule: opt(&a.Run.Timeout, seconds())},
			{name: "logs", rule: set(&a.Run.Logs, list(absolute()))},
			{name: "trajectory", rule: set(&a.Run.Trajectory, absolute())},
		}, check: func(r *reader, n *node) { r.namesNoSecret(n.kid("set")) }})},
		{name: "hosts", rule: set(&a.Hosts, list(host()))},
	}}
}

func agentPathFields(f *AgentPath) fields {
	return fields{keys: []key{need("source", set(&f.Source, inFolder())), need("target", set(&f.Target, absolute()))}}
}

// inFolder is a path within the agent's folder.
func inFolder() value[string] {
	return textOf("path", `a path within the agent's folder, relative, with forward slashes and without ".." and pattern signs`, func(s string) bool {
		return s != "" && !path.IsAbs(s) && !climbs(s) && !hasControl(s) && !strings.ContainsAny(s, `\"$*?[]`)
	})
}

// absolute is a path in the container.
func absolute() value[string] {
	return textOf("path", `an absolute path in the container, without ".."`, func(s string) bool {
		return path.IsAbs(s) && path.Clean(s) != "/" && !climbs(s) && !hasControl(s) && !strings.ContainsAny(s, `\"$`)
	})
}

// variableName is the name of an environment variable.
func variableName() value[string] {
	return textOf("name", `the name of an environment variable of the host, such as "API_KEY"`, func(s string) bool {
		return s != "" && !hasControl(s) && !strings.ContainsAny(s, "= ${}")
	})
}

// namesNoSecret refuses values where only a name should be: the file is copied, shared and kept.
func (r *reader) namesNoSecret(n *node) {
	if n == nil {
		return
	}
	for _, kid := range n.kids {
		upper := strings.ToUpper(kid.name)
		secret := slices.ContainsFunc([]string{"KEY", "SECRET", "TOKEN", "PASSWORD", "CREDENTIAL"}, func(w string) bool { return strings.Contains(upper, w) })
		what := ""
		if _, template := parseTemplate(kid.text); template {
			what = "is taken from the host by its name"
		} else if secret && kid.text != "" {
			what = "looks like a secret, whose value must not be in a file"
		}
		if what != "" { // without the value
			r.report(&ConfigError{Line: kid.at.Line, Column: kid.at.Column, Key: kid.path(), What: fmt.Sprintf("%s: write env = [%q] in [run]", what, kid.name)})
		}
	}
}
