package sidecar_test

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// find returns a finding by its name.
func find(t *testing.T, d sidecar.Diagnosis, id string) sidecar.Finding {
	t.Helper()
	i := slices.IndexFunc(d.Findings, func(f sidecar.Finding) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("there is no finding %q in %+v", id, d.Findings)
	}
	return d.Findings[i]
}

// owned are the labels of an object of trial t1 in run r1.
func owned(owner sidecar.Owner) map[string]string {
	return map[string]string{sidecar.LabelRun: "r1", sidecar.LabelTrial: "t1", sidecar.LabelOwner: owner.String()}
}

func containers(name string, labels map[string]string) []any {
	return []any{map[string]any{"Id": "0123456789abcdef", "Names": []string{"/" + name}, "Labels": labels, "State": "running"}}
}

func TestExamine(t *testing.T) {
	self := sidecar.Self()
	dead, foreign := self, self
	dead.Start, foreign.Host = "1", "another"
	network := func(name, subnet string, options, labels map[string]string) []any {
		return []any{map[string]any{"Name": name, "Options": options, "Labels": labels, "IPAM": map[string]any{"Config": []any{map[string]string{"Subnet": subnet}}}}}
	}
	digest, err := shim.Digest("amd64")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		engine answers
		id     string
		level  sidecar.Level
		says   string
		advice string
	}{
		{"a sound engine", sound(), "engine", sidecar.LevelOK, "Docker Engine - Community 28.5.2", ""},
		{"the versions of the API", sound(), "api", sidecar.LevelOK, "version 1.51 in use, 1.24 to 1.51", ""},
		{"Podman", sound().with("version", map[string]any{"Components": []any{map[string]any{"Name": "Podman Engine", "Version": "5.4"}}}), "engine", sidecar.LevelWarn, "Podman Engine", "Docker Engine"},
		{"a processor without a helper", sound().with("version", map[string]any{"Arch": "s390x"}), "platform", sidecar.LevelFail, "linux/s390x", "helper"},
		{"limits that do not hold", sound().with("info", map[string]any{"CgroupDriver": "none", "MemoryLimit": false, "PidsLimit": false}), "cgroups", sidecar.LevelWarn, "[memory processes]", "cgroup v2"},
		{"a storage driver that copies", sound().with("info", map[string]any{"Driver": "vfs"}), "storage", sidecar.LevelWarn, "vfs", "overlay2"},
		{"a rootless engine", sound().with("info", map[string]any{"SecurityOptions": []string{"name=seccomp,profile=builtin", "name=rootless"}}), "users", sidecar.LevelOK, "rootless", ""},
		{"an engine with user namespaces", sound().with("info", map[string]any{"SecurityOptions": []string{"name=userns"}}), "users", sidecar.LevelOK, "user namespaces", ""},
		{"a machine that the engine does not tell of", sound().but("info", status(http.StatusForbidden)), "machine", sidecar.LevelWarn, "cannot be found out", ""},
		{"data in another machine", sound(), "disk_engine", sidecar.LevelOK, "cannot be measured from here", ""},
		{"an engine without BuildKit", sound().but("grpc", status(http.StatusNotFound)), "buildkit", sidecar.LevelWarn, "no BuildKit", "Docker Engine"},
		{"a pool that nobody uses", sound(), "network_pool", sidecar.LevelOK, "10.189.0.0/16, 0 of 2048", ""},
		{"a crowded pool", sound().but("networks", network("big", "10.189.0.0/16", nil, nil)), "network_pool", sidecar.LevelWarn, "2048 of 2048", "SEATRIAL_NETWORK_POOL"},
		{"no shared network yet", sound(), "network_shared", sidecar.LevelOK, "not there yet", ""},
		{"the shared network", sound().but("networks", network("seatrial-shared", "10.189.248.0/21", map[string]string{"com.docker.network.bridge.enable_icc": "false"},
			map[string]string{sidecar.LabelCache: "network"})), "network_shared", sidecar.LevelOK, "seatrial-shared 10.189.248.0/21", ""},
		{"somebody else's shared network", sound().but("networks", network("seatrial-shared", "10.189.248.0/21", nil, nil)), "network_shared", sidecar.LevelWarn, "reach one another", "docker network rm"},
		{"no helper yet", sound(), "helper", sidecar.LevelOK, "not there yet", ""},
		{"the helper, and one of another version", sound().but("volumes", map[string]any{"Volumes": []any{map[string]any{"Name": "seatrial-helper-" + digest[:16]}, map[string]any{"Name": "seatrial-helper-old"}}}),
			"helper", sidecar.LevelOK, "1 volume of other versions", ""},
		{"cached images", sound().but("images/json", []any{map[string]any{"Size": 1 << 20, "Labels": map[string]string{sidecar.LabelCache: "image"}}, map[string]any{"Size": 1 << 30}}),
			"images", sidecar.LevelOK, "1 image of tasks cached, 1MiB", ""},
		{"base images", sound().but("images/json", []any{map[string]any{"RepoTags": []string{"busybox:latest"}}}), "base_images", sidecar.LevelOK, "busybox present; debian:x not there", ""},
		{"a run under way", sound().but("containers/json", containers("a", owned(self))), "runs", sidecar.LevelOK, "1 run under way", ""},
		{"what a dead run left", sound().but("containers/json", containers("a", owned(dead))), "leftovers", sidecar.LevelWarn, "1 object left of dead runs: container 0123456789ab (a)", "seatrial gc"},
		{"what another host owns", sound().but("containers/json", containers("a", owned(foreign))), "leftovers", sidecar.LevelOK, "1 object of other hosts", ""},
		{"a kept stack", sound().but("containers/json", containers("a-kept", owned(dead))), "kept", sidecar.LevelWarn, "1 stack kept on purpose: t1", "--kept"},
		{"a listing that fails", sound().but("containers/json", status(http.StatusForbidden)), "leftovers", sidecar.LevelWarn, "cannot be found out", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := sidecar.Examine(t.Context(), serve(t, c.engine), sidecar.Checkup{Room: sidecar.Room{RunsDir: "."}, Bases: []string{"busybox", "debian:x"}, Self: self})
			f := find(t, d, c.id)
			if f.Level != c.level || !strings.Contains(f.Says, c.says) || !strings.Contains(f.Advice, c.advice) {
				t.Errorf("%+v", f)
			}
			if (f.Level == sidecar.LevelOK) != (f.Advice == "") {
				t.Errorf("advice %q at level %s", f.Advice, f.Level)
			}
			if d.Usable != (c.level != sidecar.LevelFail) {
				t.Errorf("usable: %v", d.Usable)
			}
		})
	}
}

func TestExamineSaysWhenNothingCanRun(t *testing.T) {
	for _, c := range []struct {
		name string
		host func(*testing.T) sidecar.Host
		room sidecar.Room
		id   string
	}{
		{"no engine", func(*testing.T) sidecar.Host { return sidecar.Host{Address: "unix:///nonexistent", Source: "test"} }, sidecar.Room{RunsDir: "."}, "engine"},
		{"a pool that is none", func(t *testing.T) sidecar.Host { t.Helper(); h := serve(t, sound()); h.Pool = "x"; return h }, sidecar.Room{RunsDir: "."}, "network_pool"},
		{"no room for records", func(t *testing.T) sidecar.Host { t.Helper(); return serve(t, sound()) }, sidecar.Room{RunsDir: ".", MinFree: math.MaxInt64}, "disk_records"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sidecar.Examine(t.Context(), c.host(t), sidecar.Checkup{Room: c.room})
			f := find(t, d, c.id)
			if d.Usable || f.Level != sidecar.LevelFail || f.Advice == "" || !strings.HasSuffix(f.Advice, ".") {
				t.Errorf("usable %v, %+v", d.Usable, f)
			}
		})
	}
}

func TestAnExaminationAsJSON(t *testing.T) {
	d := sidecar.Examine(t.Context(), serve(t, sound()), sidecar.Checkup{Room: sidecar.Room{RunsDir: "."}, Bases: []string{"busybox"}})
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Usable   bool
		Findings []struct {
			ID, Level, Says string
			Facts           map[string]any
		}
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range back.Findings {
		ids = append(ids, f.ID)
		if f.Says == "" || len(f.Facts) == 0 {
			t.Errorf("%+v says nothing", f)
		}
	}
	want := "engine api platform machine cgroups storage users disk_engine disk_records buildkit network_pool network_shared helper images base_images runs leftovers kept"
	if got := strings.Join(ids, " "); got != want || !back.Usable {
		t.Errorf("usable %v, findings\n%s, want\n%s", back.Usable, got, want)
	}
}
