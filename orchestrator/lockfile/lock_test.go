package lockfile_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
)

// whole is a lock in which everything is set.
func whole() *lockfile.Lock {
	salt := "00ff"
	return &lockfile.Lock{Format: lockfile.Format, SchemaVersion: lockfile.SchemaVersion, RunID: "r", TrialID: "t-1", Case: "t", Tool: lockfile.Tool{Version: "1", Commit: "c"},
		Task:    lockfile.Folder{Path: "/tasks/t", Name: "t", Checksum: "sha256:aa", Copy: "tasks/aa/t"},
		Agent:   lockfile.Agent{Kind: "installed", Name: "a", Version: "2", Model: "m", Folder: &lockfile.Folder{Checksum: "sha256:bb"}, File: "agent.toml"},
		Options: lockfile.Options{Allow: []string{"privileged"}, Timeouts: map[string]float64{"agent": 5}},
		Images:  map[string]lockfile.Image{"main": {Ref: "x", ID: "sha256:01", Bases: []lockfile.Base{{Ref: "b:1", ID: "sha256:02"}}}},
		Fakes:   &lockfile.Fakes{Scenario: "s", Seed: "1", Servers: map[string]string{"mail": "sha256:03"}},
		Limits:  []lockfile.Limit{{Phase: "agent", Seconds: 60, Source: "task.toml"}}, Services: []lockfile.Service{{Name: "main", CPUs: 1, Memory: 1 << 30}},
		Network: []lockfile.Policy{{Phase: "agent", Mode: "allowlist", Hosts: []string{"a.example"}}}, Salt: salt,
		Variables: []lockfile.Variable{{From: "host", Name: "KEY", Fingerprint: lockfile.Fingerprint(salt, "KEY", "v")}, {From: "host", Name: "NOT"}},
		Machine:   lockfile.Machine{Engine: "Docker Engine", Version: "20.10", Kernel: "6", OS: "linux", Arch: "amd64", CPUs: 2, Memory: 8 << 30},
		Batch:     lockfile.Batch{Order: 3, Planned: 4, Parallel: 2, Beside: []string{"u"}, BesideCount: 1}}
}

func again(t *testing.T, l *lockfile.Lock) *lockfile.Lock {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lockfile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNothingDiffersFromItself(t *testing.T) {
	t.Parallel()
	l := again(t, whole())
	if diff := cmp.Diff(whole(), l); diff != "" {
		t.Errorf("written and read again (-was +is):\n%s", diff)
	}
	if d := lockfile.Differences(whole(), l); len(d) > 0 {
		t.Errorf("differences %v", d)
	}
	l.RunID, l.TrialID, l.Batch, l.Task.Path, l.Task.Copy, l.Command.Directory = "other", "other", lockfile.Batch{}, "/elsewhere", "", "/"
	if d := lockfile.Differences(whole(), l); len(d) > 0 {
		t.Errorf("what no two trials share counts: %v", d)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(l *lockfile.Lock){
		"the task's files":     func(l *lockfile.Lock) { l.Task.Checksum = "sha256:ab" },
		"the agent":            func(l *lockfile.Lock) { l.Agent.Version = "3" },
		"the agent's files":    func(l *lockfile.Lock) { l.Agent.Folder = nil },
		"the options":          func(l *lockfile.Lock) { l.Options.FreshSteps = true },
		"the image of main":    func(l *lockfile.Lock) { l.Images["main"] = lockfile.Image{ID: "sha256:09"} },
		"the image of more":    func(l *lockfile.Lock) { l.Images["more"] = lockfile.Image{ID: "sha256:09"} },
		"the fakes' seed":      func(l *lockfile.Lock) { l.Fakes.Seed = "2" },
		"the contract of mail": func(l *lockfile.Lock) { l.Fakes.Servers["mail"] = "sha256:04" },
		"the limit of agent":   func(l *lockfile.Lock) { l.Limits[0].Seconds = 61 },
		"what main may use":    func(l *lockfile.Lock) { l.Services[0].Memory++ },
		"the network":          func(l *lockfile.Lock) { l.Network[0].Hosts = nil },
		"the variable KEY":     func(l *lockfile.Lock) { l.Variables[0].Fingerprint = lockfile.Fingerprint(l.Salt, "KEY", "w") },
		"the variable NOT":     func(l *lockfile.Lock) { l.Variables[1].Fingerprint = "01" },
		"the variable NEW": func(l *lockfile.Lock) {
			l.Variables = append(l.Variables, lockfile.Variable{From: "agent-env", Name: "NEW"})
		},
		"seatrial":                      func(l *lockfile.Lock) { l.Tool.Version = "2" },
		"the engine":                    func(l *lockfile.Lock) { l.Machine.Version = "28" },
		"the kernel":                    func(l *lockfile.Lock) { l.Machine.Kernel = "7" },
		"the cgroup version":            func(l *lockfile.Lock) { l.Machine.Cgroup = "2" },
		"the engine's processors":       func(l *lockfile.Lock) { l.Machine.CPUs = 4 },
		"the engine's memory":           func(l *lockfile.Lock) { l.Machine.Memory = 4 << 30 },
		"the system":                    func(l *lockfile.Lock) { l.Machine.Arch = "arm64" },
		"the storage driver":            func(l *lockfile.Lock) { l.Machine.Storage = "x" },
		"the engine's security options": func(l *lockfile.Lock) { l.Machine.Security = "x" },
	} {
		l := again(t, whole())
		change(l)
		d := lockfile.Differences(whole(), l)
		if len(d) != 1 || d[0].What != what {
			t.Errorf("%s: differences %v", what, d)
		}
	}
}

func TestAFingerprintTellsValuesApartAndNothingElse(t *testing.T) {
	t.Parallel()
	a := lockfile.Fingerprint("s", "N", "value")
	for other, b := range map[string]string{"value": lockfile.Fingerprint("s", "N", "valuf"), "name": lockfile.Fingerprint("s", "M", "value"), "salt": lockfile.Fingerprint("t", "N", "value"),
		"border": lockfile.Fingerprint("s", "Nv", "alue")} {
		if a == b {
			t.Errorf("the same for another %s", other)
		}
	}
	if a != lockfile.Fingerprint("s", "N", "value") || len(a) != 16 || lockfile.NewSalt() == lockfile.NewSalt() {
		t.Errorf("fingerprint %q", a)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":     "empty",
		"{":    "cut",
		"[]":   "does not fit",
		"null": "not a lock of ours",
		`{"format": "seatrial-lock", "schema_version": 2}`:              "upgrade seatrial",
		`{"format": "seatrial-lock", "schema_version": 0}`:              "never was",
		`{"format": "seatrial-run", "schema_version": 1}`:               "not a lock of ours",
		`{"format": "seatrial-lock", "schema_version": 1, "images": 3}`: "does not fit",
	} {
		if _, err := lockfile.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := json.Marshal(whole())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format": "seatrial-lock", "schema_version": 1, "fakes": null, "agent": {"folder": {}}}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if l, err := lockfile.Decode(data); err == nil {
			_ = lockfile.Differences(whole(), l)
			_ = lockfile.Differences(l, whole())
		}
	})
}

func TestThePageNamesEveryField(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/lock-json.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("%s.%s: %q is not on the page", typ, typ.Field(i).Name, name)
			}
			look(typ.Field(i).Type)
		}
	}
	look(reflect.TypeFor[lockfile.Lock]())
}
