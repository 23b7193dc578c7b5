package orchestrator

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/task"
)

func TestTheOptionsOfALock(t *testing.T) {
	t.Parallel()
	l := &lockfile.Lock{Options: lockfile.Options{Rewards: "harbor", Allow: []string{"privileged"}, FreshSteps: true, Timeouts: map[string]float64{"agent": 1.5}, TimeoutMultiplier: 2},
		Variables: []lockfile.Variable{{From: "host", Name: "A", Fingerprint: "1"}, {From: "host", Name: "GONE"}, {From: "agent-env", Name: "KEY", Fingerprint: "1"}, {From: "verifier-env", Name: "B", Fingerprint: "1"}}}
	host := map[string]string{"A": "a", "GONE": "here today", "B": "b from the host", "KEY": "not this"}
	g := given{flags: map[string]map[string]string{"agent-env": {"KEY": "value-1234"}, "verifier-env": {}, "compose-env": {}}, lookup: func(n string) (string, bool) { v, ok := host[n]; return v, ok }}
	o, err := lockedOptions(l, g)
	if err != nil {
		t.Fatal(err)
	}
	if o.Rewards != "harbor" || !o.Allow["privileged"] || !o.FreshSteps || o.AgentTimeout != 1500*time.Millisecond || o.VerifierTimeout != 0 || o.TimeoutMultiplier != 2 {
		t.Errorf("options %+v", o)
	}
	if !maps.Equal(o.AgentEnv, map[string]string{"KEY": "value-1234"}) || !maps.Equal(o.VerifierEnv, map[string]string{"B": "b from the host"}) || len(o.SecretValues) == 0 {
		t.Errorf("variables %v %v, secrets %d", o.AgentEnv, o.VerifierEnv, len(o.SecretValues))
	}
	if v, ok := o.Lookup("A"); v != "a" || !ok {
		t.Errorf("A is %q, %v", v, ok)
	}
	if v, ok := o.Lookup("GONE"); ok {
		t.Errorf("what was not set then is %q now", v)
	}
}

func TestNobodyIsAskedForWhatOnlyAReplacedAgentWanted(t *testing.T) {
	t.Parallel()
	l := &lockfile.Lock{Variables: []lockfile.Variable{{From: "agent-env", Name: "KEY", Fingerprint: "1"}, {From: "host", Name: "AGENTS", Fingerprint: "1"}}}
	g := given{lookup: func(string) (string, bool) { return "", false }, replaced: true}
	o, err := lockedOptions(l, g)
	if err != nil || len(o.AgentEnv) > 0 {
		t.Errorf("variables %v, error %v", o.AgentEnv, err)
	}
	l.Variables = append(l.Variables, lockfile.Variable{From: "verifier-env", Name: "TESTS", Fingerprint: "1"})
	if _, err := lockedOptions(l, g); !errors.As(err, new(*MissingVariablesError)) || strings.Contains(err.Error(), "KEY") {
		t.Errorf("what the tests want: %v", err)
	}
}

func TestWhatALockCannotSay(t *testing.T) {
	t.Parallel()
	none := given{lookup: func(string) (string, bool) { return "", false }}
	for want, l := range map[string]*lockfile.Lock{
		"is no limit":                     {Options: lockfile.Options{Timeouts: map[string]float64{"agent": math.NaN()}}},
		"agent: -1 is no limit":           {Options: lockfile.Options{Timeouts: map[string]float64{"agent": -1}}},
		"options.allow":                   {Options: lockfile.Options{Allow: []string{"everything"}}},
		"A (set it in the environment)":   {Variables: []lockfile.Variable{{From: "host", Name: "A", Fingerprint: "1"}}},
		"K (--agent-env K=VALUE":          {Variables: []lockfile.Variable{{From: "agent-env", Name: "K", Fingerprint: "1"}}},
		"not where a variable can come f": {Variables: []lockfile.Variable{{From: "elsewhere", Name: "K", Fingerprint: "1"}}},
	} {
		g := none
		if strings.HasPrefix(want, "not where") {
			g.lookup = func(string) (string, bool) { return "x", true }
		}
		if _, err := lockedOptions(l, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, error %v", want, err)
		}
	}
}

func TestWhereARecordedFolderIs(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	copied := filepath.Join(run, "tasks/aa/t")
	if err := os.MkdirAll(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "task.toml"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := task.Digest(copied)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ copied, sum, want, why string }{
		{"tasks/aa/t", sum, copied, ""},
		{"tasks/aa/t", "sha256:00", "/was", "not what it was"},
		{"tasks/bb/t", sum, "/was", "is not there"},
		{"", sum, "/was", "no copy"},
		{"../../etc", sum, "/was", "leads out"},
		{"/etc", sum, "/was", "leads out"},
	} {
		got, why := placeOf(run, &lockfile.Folder{Path: "/was", Copy: c.copied, Checksum: c.sum})
		if got != c.want || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%q: %s, %q", c.copied, got, why)
		}
	}
}

func TestTheAgentOfALock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent lockfile.Agent
		wrong string
	}{
		{lockfile.Agent{Kind: "oracle"}, ""},
		{lockfile.Agent{Kind: "command", Command: "do it"}, ""},
		{lockfile.Agent{Kind: "command", Command: "do it with [masked]"}, "--agent-cmd"},
		{lockfile.Agent{Kind: "installed"}, "does not say where"},
		{lockfile.Agent{Kind: "installed", File: "../agent.toml", Folder: &lockfile.Folder{}}, "does not say where"},
		{lockfile.Agent{Kind: "replay"}, "choose one with --agent"},
		{lockfile.Agent{Kind: "something"}, "choose one with --agent"},
	} {
		_, err := lockedAgentChoice(t.TempDir(), &c.agent)
		if (err == nil) != (c.wrong == "") || err != nil && (!errors.As(err, new(*UsageError)) || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%+v: error %v", c.agent, err)
		}
	}
}

func TestACrowdIntroducesEachToTheOthers(t *testing.T) {
	t.Parallel()
	c := &crowd{}
	a, b := c.enter("a"), c.enter("b")
	names, n := c.leave(a)
	if n != 1 || len(names) != 1 || names[0] != "b" {
		t.Errorf("a met %v, %d", names, n)
	}
	d := c.enter("d")
	if names, n = c.leave(b); n != 2 || strings.Join(names, " ") != "a d" || d.order != 3 {
		t.Errorf("b met %v, %d; d was number %d", names, n, d.order)
	}
	for range 100 {
		c.enter("x")
	}
	if names, n = c.leave(d); n != 101 || len(names) != mostBeside {
		t.Errorf("d met %d, %d named", n, len(names))
	}
	var none *crowd
	if names, n = none.leave(none.enter("x")); n != 0 || names != nil {
		t.Errorf("in no crowd: %v, %d", names, n)
	}
}
