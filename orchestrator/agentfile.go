package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// InstallError says that an agent could not be installed into the task's image.
type InstallError struct {
	Agent string
	Cause error
}

func (e *InstallError) Error() string {
	return fmt.Sprintf("agent %s could not be installed: %v", e.Agent, e.Cause)
}

func (e *InstallError) Unwrap() error { return e.Cause }

// agentFolder is where an installation sees the agent's own folder.
const agentFolder = "/.seatrial-agent"

// recipe is the Dockerfile that puts an agent on an image. Its text holds all that it depends on besides the agent's folder, so that the layer is made once
// for an image and a state of the agent.
func recipe(a *task.AgentFile, ref, id, user string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "FROM %s\nLABEL dev.seatrial.base=%s\nUSER 0\n", ref, id)
	for _, f := range a.Files {
		fmt.Fprintf(&b, "COPY %s\n", list(f.Source, f.Target))
	}
	if s := a.Install.Script; s != "" {
		net := "none"
		if a.Install.Network {
			net = "default"
		}
		fmt.Fprintf(&b, "RUN --network=%s --mount=type=bind,target=%s %s\n", net, agentFolder,
			list("/bin/sh", "-c", "cd "+agentFolder+" && if [ -x \"$0\" ]; then exec \"$0\"; else exec /bin/sh \"$0\"; fi", "./"+path.Clean(s)))
	}
	if user != "" {
		fmt.Fprintf(&b, "USER %s\n", user)
	}
	return b.String()
}

// list is a Dockerfile's JSON form, in which no shell takes part.
func list(words ...string) string {
	data, err := json.Marshal(words)
	if err != nil {
		return "[]" // strings always marshal
	}
	return string(data)
}

// agentLayer follows the name of a service in a lock, for its image with the agent on it.
const agentLayer = "+agent"

// installs says whether the agent is one that is put on the task's image.
func (t *trial) installs() bool {
	return t.plan.Agent.Kind == AgentInstalled && !t.plan.Installed && (len(t.plan.Agent.File.Files) > 0 || t.plan.Agent.File.Install.Script != "")
}

// install makes the image with the agent on it, or finds that it is there.
func (t *trial) install(ctx context.Context) error {
	a := t.plan.Agent.File
	base := t.work.images[stack.Main]
	log := t.dir.Lazy("install.log", t.mask)
	defer log.Close()
	src := Source{Build: &images.Request{Context: a.Dir, Inline: recipe(a, base.ref, base.id, base.user), Name: sidecar.Slug(t.plan.Task.ShortName, 30) + "-with-" + sidecar.Slug(a.Name, 20),
		Platform: t.plan.Images[stack.Main].Platform}}
	img, err := t.Engine.Image(ctx, src, log, func(e images.Event) {
		t.tell(Event{Kind: OnBuildStep, Phase: PhaseInstall, Text: string(e.Kind) + " " + e.Step})
	})
	if err != nil {
		return &InstallError{Agent: a.Name, Cause: err}
	}
	t.done = append(t.done, img.Done)
	t.work.images[stack.Main] = factsOf(img)
	t.rec.Images[stack.Main] = img.ID
	t.locked[stack.Main+agentLayer] = lockedImage(src, img)
	t.rec.imageRefs[img.Ref] = img.ID
	return nil
}

// agentVariables are what an installed agent finds in its environment besides what every agent does.
func (p *Plan) agentVariables(o *Options) error {
	if p.Agent.Kind != AgentInstalled {
		return nil
	}
	f := p.Agent.File
	env := map[string]string{}
	maps.Copy(env, f.Run.Set)
	for _, name := range f.Run.Env {
		if _, given := p.AgentEnv[name]; given {
			continue
		}
		v, ok := o.Lookup(name)
		if !ok {
			return &UnsupportedError{File: f.Path, Key: "run.env", What: fmt.Sprintf("the host has no environment variable %s, which the agent wants; set it, or give it with --agent-env %s=VALUE", name, name)}
		}
		env[name] = v
		p.keepSecret(Secret(name, v, true)...)
	}
	maps.Copy(env, p.AgentEnv)
	p.AgentEnv = env
	return nil
}

// agentText is what an installed agent's shell is given in the current step.
func (t *trial) agentText() string {
	f := t.plan.Agent.File
	if t.step.plan.Part.Step > 0 && !t.plan.FreshSteps && f.Run.Continue != "" {
		return f.Run.Continue
	}
	return f.Run.Command
}

// agentFiles brings the logs and the trajectory of an installed agent to where those of any agent are. What is missing decides nothing.
func (t *trial) agentFiles(ctx context.Context) {
	if t.plan.Agent.Kind != AgentInstalled {
		return
	}
	run := t.plan.Agent.File.Run
	routes := map[string]string{}
	for _, p := range run.Logs {
		routes[p] = t.step.host("agent", strings.TrimPrefix(path.Clean(p), "/"))
	}
	if run.Trajectory != "" && path.Clean(run.Trajectory) != "/logs/agent/trajectory.json" {
		routes[run.Trajectory] = t.step.host("agent", "trajectory.json")
	}
	for _, from := range slices.Sorted(maps.Keys(routes)) {
		opt := archive.UnpackOptions{Limits: logLimits(), Mask: t.maskFile, Keep: t.dir.Streams(), Routes: map[string]string{path.Base(path.Clean(from)): routes[from]}}
		list, err := t.work.unpacked(ctx, from, t.dir.Root(), opt)
		t.counted(list)
		if err != nil {
			why := err.Error()
			if errdefs.IsNotFound(err) {
				why = "the agent did not write it"
			}
			t.warn("agent_file_missing", fmt.Sprintf("%s: %s", from, why))
		}
	}
}

// model compares the model that was asked for with the one that the agent's trajectory names.
func (t *trial) model() error {
	want, got := t.plan.Agent.Model, t.step.model
	switch {
	case want == "":
	case got == nil:
		t.warn("model_unobserved", "the agent's trajectory names no model, so that nothing shows that "+want+" was used")
	case !sameModel(want, *got):
		return &ModelError{Want: want, Got: *got}
	}
	return nil
}

// sameModel compares names of models; the vendor before a slash counts only where both have one.
func sameModel(a, b string) bool {
	if strings.Contains(a, "/") != strings.Contains(b, "/") {
		a, b = a[strings.LastIndex(a, "/")+1:], b[strings.LastIndex(b, "/")+1:]
	}
	return strings.EqualFold(a, b)
}

// ModelError says that the agent used another model than it was asked to.
type ModelError struct{ Want, Got string }

func (e *ModelError) Error() string {
	return fmt.Sprintf("the agent was to use the model %s, and its trajectory names %s", e.Want, e.Got)
}
