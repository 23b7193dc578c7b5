package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar/mask"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// ReadLock reads what decided a trial. A trial that was recorded without a lock, and one whose lock cannot be used, is a *UsageError.
func ReadLock(p *TrialPlace) (*lockfile.Lock, error) {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil, &UsageError{Cause: fmt.Errorf("%s: %w", p.Folder(), bare(err))}
	}
	defer root.Close()
	data, err := regular.ReadIn(root, "lock.json", lockfile.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &UsageError{Cause: fmt.Errorf("%s has no lock.json, so that nothing says what decided the trial; it was recorded by an older seatrial, or its end was never reached", p.Folder())}
	}
	var l *lockfile.Lock
	if err == nil {
		l, err = lockfile.Decode(data)
	}
	if err != nil {
		return nil, &UsageError{Cause: fmt.Errorf("%s cannot be used: %w", filepath.Join(p.Folder(), "lock.json"), bare(err))}
	}
	return l, nil
}

// MissingVariablesError says which variables a trial cannot be run again without.
type MissingVariablesError struct{ Missing []lockfile.Variable }

func (e *MissingVariablesError) Error() string {
	var how []string
	for _, v := range e.Missing {
		if v.From == "host" {
			how = append(how, v.Name+" (set it in the environment)")
		} else {
			how = append(how, fmt.Sprintf("%s (--%s %s=VALUE, or set it in the environment)", v.Name, v.From, v.Name))
		}
	}
	return "values are not recorded, and the trial depended on these variables: " + strings.Join(how, ", ")
}

// given are the values that the person who reproduces a trial has for its variables.
type given struct {
	flags  map[string]map[string]string // by the flag's name
	lookup func(string) (string, bool)
	// replaced says that another agent does the work: nobody is asked for what only the recorded one wanted. Whether the task wants a variable of the host, planning tells.
	replaced bool
}

func (g given) value(v lockfile.Variable) (string, bool) {
	if value, ok := g.flags[v.From][v.Name]; ok {
		return value, true
	}
	if g.lookup == nil {
		return "", false
	}
	return g.lookup(v.Name)
}

// lockedOptions are the options that a lock holds, with the values of its variables. A variable that was not set then is not set now.
func lockedOptions(l *lockfile.Lock, g given) (Options, error) {
	o := Options{Rewards: l.Options.Rewards, Lax: l.Options.Lax, AllowExternal: l.Options.AllowExternal, FreshSteps: l.Options.FreshSteps, MeanOfDeclared: l.Options.MeanOfDeclared, ForceBuild: l.Options.ForceBuild,
		TimeoutMultiplier: l.Options.TimeoutMultiplier, Allow: stack.Allow{}}
	allow, err := stack.ParseAllow(l.Options.Allow)
	if err != nil {
		return o, fmt.Errorf("lock.json: options.allow: %w", err)
	}
	o.Allow = allow
	for name, into := range map[string]*time.Duration{"agent": &o.AgentTimeout, "verifier": &o.VerifierTimeout, "build": &o.BuildTimeout, "setup": &o.SetupTimeout} {
		s := l.Options.Timeouts[name]
		if s < 0 || s > (30*24*time.Hour).Seconds() || s != s {
			return o, fmt.Errorf("lock.json: options.timeouts.%s: %g is no limit", name, s)
		}
		*into = time.Duration(s * float64(time.Second))
	}
	host, missing := map[string]*string{}, []lockfile.Variable{}
	into := map[string]map[string]string{"agent-env": {}, "verifier-env": {}, "compose-env": {}}
	for _, v := range l.Variables {
		value, ok := g.value(v)
		switch {
		case v.From == "host" && v.Fingerprint == "":
			host[v.Name] = nil
		case g.replaced && (v.From == "agent-env" || v.From == "host" && !ok):
		case !ok:
			missing = append(missing, v)
		case v.From == "host":
			host[v.Name] = &value
		case into[v.From] == nil:
			return o, fmt.Errorf("lock.json: variables: %q is not where a variable can come from", v.From)
		default:
			into[v.From][v.Name] = value
			o.SecretValues = append(o.SecretValues, Secret(v.Name, value, true)...)
		}
	}
	if len(missing) > 0 {
		return o, &MissingVariablesError{Missing: missing}
	}
	o.AgentEnv, o.VerifierEnv, o.ComposeEnv = into["agent-env"], into["verifier-env"], into["compose-env"]
	for flag, env := range g.flags { // more of them is a difference, which is told
		maps.Copy(into[flag], env)
	}
	o.Lookup = func(name string) (string, bool) {
		if value, known := host[name]; known {
			if value == nil {
				return "", false
			}
			return *value, true
		}
		if g.lookup == nil {
			return "", false
		}
		return g.lookup(name)
	}
	return o, nil
}

// placeOf is where the folder of a lock is now: its copy below the run's folder, else where it was. why says, where it is not the copy, why not.
func placeOf(run string, f *lockfile.Folder) (dir, why string) {
	if f.Copy == "" {
		return f.Path, "no copy of it is kept"
	}
	copied := filepath.Join(run, filepath.FromSlash(f.Copy))
	if !filepath.IsLocal(filepath.FromSlash(f.Copy)) {
		return f.Path, "what lock.json says of its copy leads out of the run's folder"
	}
	if st, err := os.Lstat(copied); err != nil || !st.IsDir() {
		return f.Path, "its copy " + f.Copy + " is not there"
	}
	if sum, err := task.Digest(copied); err != nil || sum != f.Checksum {
		return f.Path, "its copy " + f.Copy + " is not what it was"
	}
	return copied, ""
}

// lockedAgentChoice is the agent of a lock.
func lockedAgentChoice(run string, a *lockfile.Agent) (AgentChoice, error) {
	c := AgentChoice{Kind: AgentKind(a.Kind), Command: a.Command, Model: a.Model}
	switch c.Kind {
	case AgentOracle, AgentNop:
		return c, nil
	case AgentCommand:
		if strings.Contains(a.Command, mask.Mark) {
			return c, &UsageError{Cause: fmt.Errorf("the agent's command holds a secret, which is not recorded: give it again with --agent-cmd (%s)", a.Command)}
		}
		return c, nil
	case AgentInstalled:
		if a.Folder == nil || a.File == "" || a.File != filepath.Base(a.File) {
			return c, &UsageError{Cause: errors.New("lock.json does not say where the agent's file is")}
		}
		dir, _ := placeOf(run, a.Folder)
		file, _, err := task.LoadAgent(filepath.Join(dir, a.File))
		if err != nil {
			return c, &UsageError{Cause: err}
		}
		c.File = file
		return c, nil
	case AgentProbe, AgentReplay:
	}
	return c, &UsageError{Cause: fmt.Errorf("the agent of the trial was %q, which cannot be run again; choose one with --agent", a.Kind)}
}

// sorted are the names of a map's keys.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
