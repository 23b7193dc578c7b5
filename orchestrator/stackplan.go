package orchestrator

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// definition is what a stack is made of: the agent's, or a separate verifier's.
type definition struct {
	dir                 string // absolute; the build context, and what a compose file's paths start from
	dockerfile, compose bool   // dir has these
	env                 task.Environment
	values              map[string]string // of env.Env
	network             task.NetworkMode  // from the start
	gated               bool              // its networks are cut off but for a gateway
	image               string            // name of what is built, before its digest
	place               string            // key of the table in task.toml, for messages
	exclude             []string          // is left out of the build context
}

// builds says whether the stack's own image is built from its Dockerfile.
func (d *definition) builds(o *Options) bool {
	return d.dockerfile && (d.env.DockerImage == "" || o.ForceBuild)
}

// convert makes the stack of a definition from its compose file, or of its main container alone.
func (p *Plan) convert(ctx context.Context, d *definition, o *Options) (*stack.Spec, error) {
	in := stack.Input{
		Dir: d.dir, TaskDir: p.Task.Dir, Vars: p.composeVars(d, o), Secrets: map[string]bool{},
		MainBuilt: d.builds(o), MainEnv: d.values, CPUs: float64(d.env.CPUs.Or(0)), Memory: d.env.MemoryBytes(),
		GPUs: d.env.GPUs.Or(0), Workdir: d.env.Workdir, NoNetwork: d.gated || d.network == task.NoNetwork, Gated: d.gated, Allow: o.Allow, LogPaths: logPaths(),
		HostAllowed: func(name string) (string, bool) {
			if !slices.Contains([]string{"HOME", "PATH", "USER", "LANG", "TZ"}, name) {
				return "", false
			}
			return o.Lookup(name)
		},
		HostHas: func(name string) bool { _, ok := o.Lookup(name); return ok },
	}
	for name := range o.ComposeEnv {
		in.Secrets[name] = true
	}
	for _, name := range d.env.Env.HostNames() {
		in.Secrets[name] = true
	}
	if _, fromHost, err := d.env.Env.Resolve(d.place+".env", o.Lookup); err == nil {
		for _, name := range fromHost {
			in.Secrets[name] = true
		}
	}
	if d.compose {
		in.File = filepath.Join(in.Dir, "docker-compose.yaml")
	}
	spec, warnings, err := stack.Convert(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		p.warn("compose", w.String())
		p.Compose = append(p.Compose, w)
	}
	return spec, nil
}

// sources says where each service's image comes from.
func (p *Plan) sources(spec *stack.Spec, d *definition, o *Options) (map[string]Source, error) {
	all := map[string]Source{}
	for i := range spec.Services {
		svc := &spec.Services[i]
		src := Source{Ref: svc.Image, Policy: svc.PullPolicy, Platform: svc.Platform}
		name := d.image
		if svc.Name != stack.Main && !svc.TaskImage { // else it is the same image as main's
			name += "-" + sidecar.Slug(svc.Name, 20)
		}
		if p.Fakes != nil && !p.Fakes.Own && svc.Name == p.Fakes.Service && svc.Image == "" && svc.Build == nil && !svc.TaskImage {
			all[svc.Name] = Source{Program: true}
			continue
		}
		if svc.Name == egress.Service {
			all[svc.Name] = Source{Program: true}
			continue
		}
		switch own := svc.TaskImage; {
		case svc.Build != nil:
			b := svc.Build
			src.Build = &images.Request{Context: b.Context, Dockerfile: b.Dockerfile, Inline: b.DockerfileInline, Target: b.Target, Args: b.Args,
				Platform: svc.Platform, Name: name, Force: o.ForceBuild, Network: b.Network}
		case own && d.builds(o):
			src.Build = &images.Request{Context: d.dir, Platform: svc.Platform, Name: name, Force: o.ForceBuild, Exclude: d.exclude}
		case own && d.env.DockerImage != "":
			src.Ref = d.env.DockerImage
		case own:
			return nil, &UnsupportedError{File: p.Task.Dir, Key: d.place, What: "there is neither a Dockerfile nor a docker_image, nor an image or build for main in the compose file"}
		}
		if src.Build == nil && o.Pull {
			src.Policy = "always"
		}
		all[svc.Name] = src
	}
	return all, nil
}

// logPaths maps what compose files of older tasks name as the host's log folders to the trial's own.
func logPaths() map[string]string {
	return map[string]string{hostLogs + "agent": "agent", hostLogs + "verifier": "verifier", hostLogs + "artifacts": "artifacts"}
}

const hostLogs = "/.seatrial-logs/"

// composeVars are the variables that Harbor sets for compose files, and those that the task and the user declare.
func (p *Plan) composeVars(d *definition, o *Options) map[string]string {
	v := map[string]string{}
	maps.Copy(v, o.ComposeEnv)
	for _, name := range d.env.Env.HostNames() {
		if value, ok := o.Lookup(name); ok {
			v[name] = value
		}
	}
	maps.Copy(v, d.values)
	maps.Copy(v, map[string]string{
		"MAIN_IMAGE_NAME": "seatrial/" + d.image, "CONTEXT_DIR": d.dir, "TEST_DIR": "/tests",
		"COMPOSE_PROJECT_NAME": sidecar.Slug(p.Folder, 40), "NETWORK_MODE": "bridge",
		"HOST_VERIFIER_LOGS_PATH": hostLogs + "verifier", "ENV_VERIFIER_LOGS_PATH": "/logs/verifier",
		"HOST_AGENT_LOGS_PATH": hostLogs + "agent", "ENV_AGENT_LOGS_PATH": "/logs/agent",
		"HOST_ARTIFACTS_PATH": hostLogs + "artifacts", "ENV_ARTIFACTS_PATH": "/logs/artifacts",
	})
	if d.network == task.NoNetwork && !d.gated {
		v["NETWORK_MODE"] = "none"
	}
	if d.env.DockerImage != "" {
		v["PREBUILT_IMAGE_NAME"] = d.env.DockerImage
	}
	if n := d.env.CPUs; n.Set {
		v["CPUS"] = strconv.Itoa(n.Value)
	}
	if n := d.env.MemoryMB; n.Set {
		v["MEMORY"] = strconv.FormatInt(n.Value, 10) + "M"
	}
	return v
}
