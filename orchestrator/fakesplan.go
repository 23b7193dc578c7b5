package orchestrator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// Where the fakes sidecar finds its declarations and leaves its evidence, and where the tests find that.
const (
	fakesManifests = "/fakes/manifests"
	fakesOut       = "/fakes/out"
	fakesProgram   = "/seatrial"
	fakesPort      = "8000"
	fakesShown     = "/logs/artifacts/fakes"
)

// FakesPlan is what a trial does about the task's fakes.
type FakesPlan struct {
	Service  string
	Scenario string
	// Own says that the compose file brings the service; else its image is made from this program.
	Own     bool
	Servers []FakeServer
}

// FakeServer is one fake as the agent is told of it.
type FakeServer struct {
	Name      string
	MCP, HTTP bool
}

// url is where the agent finds the server by a protocol.
func (f *FakesPlan) url(protocol, server string) string {
	return "http://" + f.Service + ":" + fakesPort + "/" + protocol + "/" + server
}

// control is the command that runs a verb of the control plane inside the sidecar.
func (f *FakesPlan) control(verb ...string) []string {
	if f.Own {
		return append([]string{"/fakes/control"}, verb...)
	}
	return append([]string{fakesProgram, "fakes", "control"}, verb...)
}

// addFakes reads and checks the task's fakes and puts their sidecar into the stack.
func (p *Plan) addFakes(c *task.Config) error {
	f := c.Fakes
	if f == nil {
		return nil
	}
	dir := filepath.Join(p.Task.Dir, "environment", "fakes")
	all, err := spec.Load(dir)
	if err != nil {
		return placed(dir, err)
	}
	chosen, err := all.Only(f.Servers...)
	if err != nil {
		return p.fakesError("servers", err)
	}
	if err := chosen.Check(f.Scenario); err != nil {
		return placed(dir, err)
	}
	plan := &FakesPlan{Service: f.Service, Scenario: f.Scenario}
	for _, s := range chosen.Servers {
		plan.Servers = append(plan.Servers, FakeServer{Name: s.Name, MCP: s.Speaks(spec.MCP), HTTP: s.Speaks(spec.HTTP)})
	}
	p.Fakes = plan
	p.placeFakes(f, dir)
	return nil
}

// fakesService is the service that plays the fakes; empty without.
func (p *Plan) fakesService() string {
	if p.Fakes == nil {
		return ""
	}
	return p.Fakes.Service
}

// placed gives the problems of declarations their whole paths.
func placed(dir string, err error) error {
	var problems spec.Problems
	if !errors.As(err, &problems) {
		return fmt.Errorf("fakes: %w", err)
	}
	for _, p := range problems {
		p.File = filepath.Join(dir, filepath.FromSlash(p.File))
	}
	return problems
}

func (p *Plan) fakesError(key string, err error) error {
	at := p.Task.Config.Where("metadata.fakes." + key)
	return &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Line: at.Line, Column: at.Column, Key: "metadata.fakes." + key, What: err.Error()}
}

// placeFakes puts the sidecar beside main, in all its networks, or completes the one that the compose file brings.
func (p *Plan) placeFakes(f *task.Fakes, dir string) {
	main := sidecar.Find(p.Spec, stack.Main)
	ownNetwork(p.Spec)
	env := map[string]string{"FAKES_SCENARIO": f.Scenario, "FAKES_SEED": strconv.FormatInt(f.Seed.Or(0), 10), "FAKES_NOW": f.Now.Or(fakesEpoch()).UTC().Format(time.RFC3339),
		"FAKES_MANIFESTS": fakesManifests, "FAKES_OUT": fakesOut}
	var uploads []stack.Upload
	for _, s := range p.Fakes.Servers {
		uploads = append(uploads, stack.Upload{Host: filepath.Join(dir, s.Name), Target: fakesManifests + "/" + s.Name})
	}
	p.Spec.Tools = true
	if own := sidecar.Find(p.Spec, f.Service); own != nil {
		p.Fakes.Own = true
		maps.Copy(env, own.Env)
		own.Env, own.Uploads, own.Helper = env, uploads, true
		return
	}
	svc := stack.Service{Name: f.Service, Env: env, Uploads: uploads, Helper: true}
	networks, mode := main.Networks, main.NetworkMode
	if owner, ok := strings.CutPrefix(mode, "service:"); ok {
		networks, mode = sidecar.Find(p.Spec, owner).Networks, ""
	}
	svc.NetworkMode = mode
	for _, n := range networks {
		svc.Networks = append(svc.Networks, stack.Attachment{Network: n.Network, Aliases: []string{f.Service}})
	}
	p.Spec.Services = append(p.Spec.Services, svc)
	slices.SortFunc(p.Spec.Services, func(a, b stack.Service) int { return cmp.Compare(a.Name, b.Name) })
}

// fakesEpoch is where the fakes' clock starts when the task does not say: where it starts for fakes that a person serves (server.DefaultNow).
func fakesEpoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }
