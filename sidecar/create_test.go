package sidecar_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

var (
	scope = sidecar.Scope{Run: "r", Trial: "hello-1a2b3c4d", Owner: owner}
	plain = sidecar.Image{Ref: "sha256:1", Entrypoint: []string{"/entry.sh"}, Cmd: []string{"serve", "--all"}}
	bare  = sidecar.Image{Ref: "sha256:2"}
)

// lone is a stack of one service that joins the default network.
func lone(svc stack.Service) *stack.Spec {
	svc.Name, svc.Networks = stack.Main, []stack.Attachment{{Network: stack.Default}}
	return &stack.Spec{Services: []stack.Service{svc}, Networks: []stack.Network{{Name: stack.Default}}}
}

// pair is main beside db, on the networks front and back.
func pair(main, db stack.Service) *stack.Spec {
	main.Name, db.Name = stack.Main, "db"
	if main.NetworkMode == "" {
		main.Networks = []stack.Attachment{{Network: "back", Aliases: []string{"agent"}}, {Network: "front", IPv4: "10.0.0.5"}}
	}
	if db.NetworkMode == "" {
		db.Networks = []stack.Attachment{{Network: "back", Aliases: []string{"database", "db"}}}
	}
	return &stack.Spec{Services: []stack.Service{db, main}, Networks: []stack.Network{{Name: "back", Internal: true}, {Name: "front"}}}
}

func TestDrafts(t *testing.T) {
	rich := stack.Service{
		Env: map[string]string{"B": "2", "A": "1=x"}, User: "worker", WorkingDir: "/app", Hostname: "box", Domain: "example", Labels: map[string]string{"com.example": "x", "dev.seatrial.run": "forged"},
		GroupAdd: []string{"44"}, ExtraHosts: []string{"x:1.2.3.4"}, DNS: []string{"9.9.9.9"}, CPUs: 1.5, GPUs: -1, Memory: 512 << 20, MemoryRes: 64 << 20, Pids: 99, ShmSize: 1 << 20,
		Ulimits: []stack.Ulimit{{Name: "nofile", Soft: 1, Hard: 2}}, Sysctls: map[string]string{"net.core.somaxconn": "9"}, CapAdd: []string{"NET_BIND_SERVICE"}, CapDrop: []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges:true"}, ReadOnly: true, StopSignal: "SIGINT", Platform: "linux/arm64/v8",
		Mounts: []stack.Mount{
			{Type: stack.MountBind, Source: "/task/environment/data", Target: "/data", ReadOnly: true},
			{Type: stack.MountTmpfs, Target: "/tmp", TmpfsMax: 1 << 20, TmpfsMod: 0o1777},
			{Type: stack.MountVolume, Source: "cache", Target: "/cache", NoCopy: true},
			{Type: stack.MountVolume, Target: "/scratch"},
			{Type: stack.MountLogs, Source: "agent", Target: "/logs/agent"},
			{Type: stack.MountLogs, Source: "verifier", Target: "/elsewhere"},
		},
		Healthcheck: &stack.Healthcheck{Test: []string{"CMD", "true"}, Interval: time.Second, Timeout: 2 * time.Second, StartPeriod: 3 * time.Second, StartInterval: time.Second, Retries: 4},
	}
	cut := pair(stack.Service{}, stack.Service{})
	cut.Services[1].Networks = cut.Services[1].Networks[:1]
	for _, c := range []struct {
		name, service, api string
		spec               *stack.Spec
		img                sidecar.Image
	}{
		{"lone-main", "main", "1.51", lone(stack.Service{}), bare},
		{"rich-main", "main", "1.51", lone(rich), plain},
		{"pair-main-new-engine", "main", "1.44", pair(stack.Service{}, stack.Service{}), plain},
		{"pair-main-old-engine", "main", "1.43", pair(rich, stack.Service{}), plain},
		{"pair-db", "db", "1.51", pair(stack.Service{}, stack.Service{Init: true, Memory: 1 << 30, MemorySwap: 3 << 30}), plain},
		{"pair-db-in-mains-network", "db", "1.51", pair(stack.Service{}, stack.Service{NetworkMode: "service:main"}), plain},
		{"cut-off-main", "main", "1.51", cut, bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, part := range sidecar.Draft(c.spec, c.service, c.img, scope, c.api).Parts() {
				data, err := json.MarshalIndent(part, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				b.Write(append(data, '\n'))
			}
			golden.Compare(t, filepath.Join("testdata", "draft-"+c.name+".txt"), b.String())
		})
	}
}

func parts(t *testing.T, spec *stack.Spec, service string, img sidecar.Image) (*container.Config, *container.HostConfig) {
	t.Helper()
	p := sidecar.Draft(spec, service, img, scope, "1.51").Parts()
	config, ok1 := p[1].(*container.Config)
	host, ok2 := p[2].(*container.HostConfig)
	if !ok1 || !ok2 {
		t.Fatalf("the parts are %T and %T", p[1], p[2])
	}
	return config, host
}

func TestWhatAContainerRuns(t *testing.T) {
	const shimPath = shim.Path
	hold := func(entry ...string) []string {
		if len(entry) == 0 {
			return []string{shimPath, "init"}
		}
		return slices.Concat([]string{shimPath, "init", "--"}, entry, []string{shimPath, "hold"})
	}
	under := func(argv ...string) []string { return append([]string{shimPath, "init", "--"}, argv...) }
	own := func(entry, cmd []string) stack.Service {
		return stack.Service{HasEntrypoint: entry != nil, Entrypoint: entry, HasCommand: cmd != nil, Command: cmd}
	}
	for _, c := range []struct {
		name    string
		service string
		svc     stack.Service
		img     sidecar.Image
		entry   []string
		cmd     []string
	}{
		{"main without anything is held", "main", stack.Service{}, bare, hold(), nil},
		{"main's image keeps its entrypoint, which is given something that holds", "main", stack.Service{}, plain, hold("/entry.sh"), nil},
		{"main's own entrypoint is given something that holds", "main", own([]string{"/mine"}, nil), plain, hold("/mine"), nil},
		{"main's entrypoint can be taken away", "main", own([]string{}, nil), plain, hold(), nil},
		{"main's own command runs under the image's entrypoint", "main", own(nil, []string{"sleep", "9"}), plain, under("/entry.sh", "sleep", "9"), nil},
		{"main's own command runs alone", "main", own(nil, []string{"sleep", "9"}), bare, under("sleep", "9"), nil},
		{"main's own entrypoint and command", "main", own([]string{"/mine"}, []string{"x"}), plain, under("/mine", "x"), nil},
		{"main's command can be taken away, and its entrypoint runs alone", "main", own(nil, []string{}), plain, under("/entry.sh"), nil},
		{"main without a command or an entrypoint is held", "main", own(nil, []string{}), bare, hold(), nil},
		{"a sidecar is as its image says", "db", stack.Service{}, plain, nil, nil},
		{"a sidecar's own command", "db", own(nil, []string{"x"}), plain, nil, []string{"x"}},
		{"a sidecar's own entrypoint", "db", own([]string{"/mine"}, nil), plain, []string{"/mine"}, nil},
		{"a sidecar's entrypoint can be taken away", "db", own([]string{}, []string{"x"}), plain, []string{""}, []string{"x"}},
		{"a sidecar's command can be taken away", "db", own(nil, []string{}), plain, []string{"/entry.sh"}, nil},
		{"a sidecar with init has it", "db", stack.Service{Init: true}, plain, under("/entry.sh", "serve", "--all"), nil},
		{"a sidecar with init and an own entrypoint drops the image's command", "db", stack.Service{Init: true, HasEntrypoint: true, Entrypoint: []string{"/mine"}}, plain, under("/mine"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := pair(c.svc, stack.Service{})
			if c.service == "db" {
				spec = pair(stack.Service{}, c.svc)
			}
			config, _ := parts(t, spec, c.service, c.img)
			if diff := cmp.Diff([][]string{c.entry, c.cmd}, [][]string{config.Entrypoint, config.Cmd}); diff != "" {
				t.Errorf("entrypoint and command (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoTwoMountsShareAPlace(t *testing.T) {
	for _, c := range []struct {
		name   string
		mounts []stack.Mount
	}{
		{"the log folders as Harbor's variables name them", []stack.Mount{{Type: stack.MountLogs, Source: "agent", Target: "/logs/agent"}, {Type: stack.MountLogs, Source: "verifier", Target: "/logs/verifier"}}},
		{"a folder of the task's at a log folder", []stack.Mount{{Type: stack.MountBind, Source: "/task/environment/x", Target: "/logs/agent"}}},
		{"a volume at a log folder", []stack.Mount{{Type: stack.MountVolume, Source: "x", Target: "/logs/artifacts"}}},
		{"another log folder at a log folder", []stack.Mount{{Type: stack.MountLogs, Source: "verifier", Target: "/logs/agent"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, host := parts(t, lone(stack.Service{Mounts: c.mounts}), "main", bare)
			seen := map[string]bool{}
			for _, m := range host.Mounts {
				if seen[m.Target] {
					t.Errorf("%s is mounted twice, which engines refuse", m.Target)
				}
				seen[m.Target] = true
			}
			for _, want := range []string{"/logs/agent", "/logs/artifacts", "/logs/verifier", shim.Dir} {
				if !seen[want] {
					t.Errorf("nothing is mounted at %s", want)
				}
			}
		})
	}
}

func TestEveryObjectOfATrialBearsItsLabels(t *testing.T) {
	spec := pair(stack.Service{Mounts: []stack.Mount{{Type: stack.MountVolume, Source: "v", Target: "/v"}, {Type: stack.MountVolume, Target: "/anonymous"}}},
		stack.Service{Init: true, Mounts: []stack.Mount{{Type: stack.MountLogs, Source: "agent", Target: "/in"}}})
	spec.Volumes = []stack.Volume{{Name: "v"}}
	for _, service := range []string{"main", "db"} {
		config, host := parts(t, spec, service, plain)
		if config.Labels[sidecar.LabelTrial] != scope.Trial || config.Labels[sidecar.LabelRun] != scope.Run || config.Labels[sidecar.LabelService] != service {
			t.Errorf("%s bears %v", service, config.Labels)
		}
		for _, m := range host.Mounts {
			if m.Target == shim.Dir {
				if !m.ReadOnly || m.VolumeOptions.Labels[sidecar.LabelCache] == "" || m.VolumeOptions.Labels[sidecar.LabelRun] != "" {
					t.Errorf("the helper is mounted as %+v with %+v", m, m.VolumeOptions)
				}
				continue
			}
			if m.VolumeOptions == nil || m.VolumeOptions.Labels[sidecar.LabelTrial] != scope.Trial {
				t.Errorf("the volume at %s bears no label of the trial", m.Target)
			}
		}
	}
}

func TestLimitsHoldWithoutBeingAsked(t *testing.T) {
	_, host := parts(t, lone(stack.Service{Memory: 1 << 20}), "main", bare)
	if host.PidsLimit == nil || *host.PidsLimit != sidecar.DefaultPids {
		t.Errorf("processes: %v", host.PidsLimit)
	}
	if host.MemorySwap != host.Memory {
		t.Errorf("memory %d, with swap %d: swap stretches the limit", host.Memory, host.MemorySwap)
	}
	if host.Privileged || len(host.Devices) != 0 || host.PidMode != "" || host.IpcMode.IsHost() || len(host.Binds) != 0 || host.AutoRemove || host.PublishAllPorts || len(host.PortBindings) != 0 {
		t.Errorf("a plain service got more than it asked for: %+v", host)
	}
	if host.LogConfig.Config["max-size"] == "" {
		t.Error("a container's log has no bound")
	}
}

func TestTailLines(t *testing.T) {
	for _, c := range []struct {
		name, in string
		n        int
		want     []string
	}{
		{"the last ones", "a\nb\nc\n", 2, []string{"b", "c"}},
		{"fewer than asked", "a", 5, []string{"a"}},
		{"empty lines and trailing blanks do not count", "a \r\n\n\n b\t\n", 5, []string{"a", " b"}},
		{"nothing", "", 5, nil},
		{"not UTF-8", "a\xffb", 1, []string{"a?b"}},
		{"a long one is cut", strings.Repeat("x", 600), 1, []string{strings.Repeat("x", 500) + "..."}},
		{"a cut is between characters", strings.Repeat("x", 499) + "é" + "tail", 1, []string{strings.Repeat("x", 499) + "..."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, sidecar.TailLines([]byte(c.in), c.n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
