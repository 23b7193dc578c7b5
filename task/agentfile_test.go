package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

const wholeAgent = `name = "walker"
version = "1.2"
model = "vendor/small"
hosts = ["API.example.com", "*.example.net"]

[[files]]
source = "bin/walker"
target = "/opt/walker/walker"

[install]
script = "install.sh"
network = true
timeout_sec = 90.5

[run]
command = "/opt/walker/walker"
continue = "/opt/walker/walker --continue"
env = ["API_KEY"]
timeout_sec = 600
logs = ["/home/walker/logs"]
trajectory = "/tmp/trajectory.json"

[run.set]
LEVEL = "debug"
`

func TestParseAgent(t *testing.T) {
	got, warnings, err := task.ParseAgent("agent.toml", []byte(wholeAgent))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := &task.AgentFile{Name: "walker", Version: "1.2", Model: "vendor/small", Hosts: []string{"api.example.com", "*.example.net"},
		Files:   []task.AgentPath{{Source: "bin/walker", Target: "/opt/walker/walker"}},
		Install: task.AgentInstall{Script: "install.sh", Network: true, Timeout: 90500 * time.Millisecond},
		Run: task.AgentRun{Command: "/opt/walker/walker", Continue: "/opt/walker/walker --continue", Env: []string{"API_KEY"}, Set: task.EnvTable{"LEVEL": "debug"},
			Timeout: task.Opt[time.Duration]{Set: true, Value: 10 * time.Minute}, Logs: []string{"/home/walker/logs"}, Trajectory: "/tmp/trajectory.json"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	least, _, err := task.ParseAgent("agent.toml", []byte("name = \"x\"\n[run]\ncommand = \"x\"\n"))
	if err != nil || least.Install.Timeout != task.DefaultAgentSetupTimeout {
		t.Errorf("%+v, %v", least, err)
	}
}

func TestParseAgentSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"no name":                   {"[run]\ncommand = \"x\"\n", []string{"name"}},
		"no command":                {"name = \"x\"\n[run]\n", []string{"run.command"}},
		"no run":                    {"name = \"x\"\n", []string{"run"}},
		"a key with a typo":         {"name = \"x\"\n[run]\ncomand = \"x\"\n", []string{":3:1", "comand", "command"}},
		"a source that climbs":      {"name = \"x\"\n[[files]]\nsource = \"../x\"\ntarget = \"/x\"\n[run]\ncommand = \"x\"\n", []string{":3:", "agent's folder"}},
		"a relative target":         {"name = \"x\"\n[[files]]\nsource = \"x\"\ntarget = \"x\"\n[run]\ncommand = \"x\"\n", []string{":4:", "absolute"}},
		"a host with a port":        {"name = \"x\"\nhosts = [\"a:1\"]\n[run]\ncommand = \"x\"\n", []string{":2:", "hosts"}},
		"a limit of zero":           {"name = \"x\"\n[run]\ncommand = \"x\"\ntimeout_sec = 0\n", []string{":4:", "timeout_sec"}},
		"a variable with its value": {"name = \"x\"\n[run]\ncommand = \"x\"\nenv = [\"A=b\"]\n", []string{":4:", "name"}},
		"a secret in the file":      {"name = \"x\"\n[run]\ncommand = \"x\"\n[run.set]\nAPI_KEY = \"sesame\"\n", []string{":5:", "looks like a secret", `env = ["API_KEY"]`}},
		"a template in the file":    {"name = \"x\"\n[run]\ncommand = \"x\"\n[run.set]\nA = \"${A}\"\n", []string{":5:", `env = ["A"]`}},
		"no TOML":                   {"name", []string{"TOML"}},
	} {
		_, _, err := task.ParseAgent("agent.toml", []byte(c.text))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range append(c.want, "agent.toml") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
		if strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the secret is in the message: %v", name, err)
		}
	}
}

func TestLoadAgentFindsItsFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "agent.toml")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("agent.toml", "name = \"x\"\n[install]\nscript = \"install.sh\"\n[run]\ncommand = \"x\"\n")
	if _, _, err := task.LoadAgent(file); err == nil || !strings.Contains(err.Error(), "install.sh is not in the agent's folder") {
		t.Errorf("%v", err)
	}
	put("install.sh", "true\n")
	a, _, err := task.LoadAgent(file)
	if err != nil || a.Dir != dir || a.Path != file {
		t.Errorf("%+v, %v", a, err)
	}
	if _, _, err := task.LoadAgent(filepath.Join(dir, "none.toml")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func FuzzParseAgent(f *testing.F) {
	f.Add([]byte(wholeAgent))
	f.Add([]byte("name = \"x\"\n[run]\ncommand = \"x\"\n[[files]]\nsource = \"a/./b\"\ntarget = \"/x//y\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, _, err := task.ParseAgent("agent.toml", data)
		if (a == nil) != (err != nil) {
			t.Errorf("%v, %v", a, err)
		}
		if a == nil {
			return
		}
		for _, p := range a.Files {
			if !filepath.IsLocal(p.Source) || !strings.HasPrefix(p.Target, "/") {
				t.Errorf("%q", p)
			}
		}
	})
}
