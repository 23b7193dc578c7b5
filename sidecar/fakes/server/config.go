package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The variables that the sidecar reads, and the paths that stand where they are not set.
const (
	EnvScenario  = "FAKES_SCENARIO"
	EnvSeed      = "FAKES_SEED"
	EnvNow       = "FAKES_NOW"
	EnvServers   = "FAKES_SERVERS"
	EnvManifests = "FAKES_MANIFESTS"
	EnvOut       = "FAKES_OUT"
	EnvControl   = "FAKES_CONTROL"
	EnvListen    = "FAKES_LISTEN"

	DefaultManifests = "/fakes/manifests"
	DefaultOut       = "/fakes/out"
	DefaultListen    = ":8000"
)

// DefaultNow is where the virtual clock starts when nobody says: a fixed moment, since two runs must be alike.
const DefaultNow = "2026-01-01T00:00:00Z"

// Config is how the fakes are started.
type Config struct {
	// Manifests is a folder that holds <server>/fake.toml.
	Manifests string
	Scenario  string
	Seed      int64
	// Now is where the virtual clock starts.
	Now time.Time
	// Servers are those to serve; none means all.
	Servers []string
	// Out is the folder for the evidence; empty keeps none.
	Out string
	// Listen is the agent's plane's TCP address.
	Listen string
	// Control is the path of the control plane's socket; empty means none.
	Control string
}

// FromEnv reads the sidecar's variables. All that is wrong comes in one *ConfigError.
func FromEnv(lookup func(string) (string, bool)) (Config, error) {
	or := func(name, usual string) string {
		if v, ok := lookup(name); ok && v != "" {
			return v
		}
		return usual
	}
	c := Config{
		Manifests: or(EnvManifests, DefaultManifests), Out: or(EnvOut, DefaultOut), Control: or(EnvControl, DefaultSocket),
		Listen: or(EnvListen, DefaultListen), Scenario: or(EnvScenario, ""),
	}
	var problems []string
	if c.Scenario == "" {
		problems = append(problems, EnvScenario+" is not set; it names the scenario that the fakes play")
	}
	var err error
	if c.Seed, err = strconv.ParseInt(or(EnvSeed, "0"), 10, 64); err != nil {
		problems = append(problems, fmt.Sprintf("%s=%q is no whole number of 64 bits", EnvSeed, or(EnvSeed, "")))
	}
	if c.Now, err = ParseNow(or(EnvNow, DefaultNow)); err != nil {
		problems = append(problems, EnvNow+": "+err.Error())
	}
	for name := range strings.SplitSeq(or(EnvServers, ""), ",") {
		if name = strings.TrimSpace(name); name != "" {
			c.Servers = append(c.Servers, name)
		}
	}
	if len(problems) > 0 {
		return Config{}, &ConfigError{Problems: problems}
	}
	return c, nil
}

// ParseNow reads a moment of the virtual clock (RFC 3339).
func ParseNow(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time as in %s (RFC 3339): %w", text, DefaultNow, err)
	}
	return t.UTC(), nil
}
