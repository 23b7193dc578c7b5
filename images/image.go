package images

import (
	"maps"
	"slices"
	"time"

	"github.com/docker/docker/api/types/image"
)

// Image is an image that is on the engine.
type Image struct {
	Ref         string   // what to create containers from
	ID          string   // sha256:..., the exact content
	Digest      string   // of what it was built from; empty for images that were not built here
	RepoDigests []string // what registries call it
	Bases       []Base   // what it was built from; empty where that is not known
	OS          string
	Arch        string
	Config      Config
	Built       bool    // by this call or by the one that it joined
	Pulled      bool    // likewise
	Seconds     float64 // that this call took

	done func() // see Done
}

// Config is what an image says about containers made from it.
type Config struct {
	Entrypoint   []string
	Cmd          []string
	Env          []string // NAME=value
	User         string
	WorkingDir   string
	Volumes      []string // sorted
	ExposedPorts []string // as 80/tcp, sorted
	StopSignal   string
	Labels       map[string]string
	Healthcheck  *Healthcheck // nil where the image has none
}

// Healthcheck is an image's health check. Zero values mean the engine's defaults.
type Healthcheck struct {
	Test          []string // NONE, CMD or CMD-SHELL first
	Interval      time.Duration
	Timeout       time.Duration
	StartPeriod   time.Duration
	StartInterval time.Duration
	Retries       int
}

func imageOf(ref string, r image.InspectResponse) Image {
	img := Image{Ref: ref, ID: r.ID, RepoDigests: r.RepoDigests, OS: r.Os, Arch: r.Architecture}
	c := r.Config
	if c == nil {
		return img
	}
	img.Digest, img.Bases = c.Labels[DigestLabel], readBases(c.Labels[BasesLabel])
	img.Config = Config{
		Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env, User: c.User, WorkingDir: c.WorkingDir,
		Volumes: slices.Sorted(maps.Keys(c.Volumes)), ExposedPorts: slices.Sorted(maps.Keys(c.ExposedPorts)),
		StopSignal: c.StopSignal, Labels: c.Labels,
	}
	if h := c.Healthcheck; h != nil {
		img.Config.Healthcheck = &Healthcheck{
			Test: h.Test, Interval: h.Interval, Timeout: h.Timeout,
			StartPeriod: h.StartPeriod, StartInterval: h.StartInterval, Retries: h.Retries,
		}
	}
	return img
}
