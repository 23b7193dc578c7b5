package cgroup_test

import (
	"slices"
	"testing"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/cgroup"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, own string
		want      []string
	}{
		{"version 1", "4:memory:/docker/a\n1:cpu,cpuacct:/docker/a\n", []string{"/sys/fs/cgroup/cpu,cpuacct/docker/a/one", "/sys/fs/cgroup/cpu/docker/a/one", "/sys/fs/cgroup/cpu,cpuacct/one", "/sys/fs/cgroup/two", "/sys/fs/cgroup/cpu/one"}},
		{"version 2", "0::/x\n", []string{"/sys/fs/cgroup/x/two", "/sys/fs/cgroup/two", "/sys/fs/cgroup/cpu/one"}},
		{"a path that leads out", "0::/../../etc\n", []string{"/sys/fs/cgroup/etc/two", "/sys/fs/cgroup/two", "/sys/fs/cgroup/cpu/one"}},
		{"nothing", "", []string{"/sys/fs/cgroup/two", "/sys/fs/cgroup/cpu/one"}},
		{"no such lines", "x\n:\n", []string{"/sys/fs/cgroup/two", "/sys/fs/cgroup/cpu/one"}},
	} {
		if got := cgroup.Files(c.own, "cpu", "one", "two"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	if cgroup.Read("/not-there") != "" || cgroup.Own() == "" {
		t.Error("what is read")
	}
}
