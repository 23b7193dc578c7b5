//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestPrepareOnMountPoints(t *testing.T) {
	t.Parallel()
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	for _, c := range []struct {
		name string
		ops  []shim.Prep // DIR is replaced
		want string      // what ls -A prints of the mount, its mode and the kept folder
		kept bool
	}{
		{"a mount point is emptied and stays", []shim.Prep{{Op: "empty", Path: "DIR/m", Mode: 0o750}}, "750 0 tmpfs\n", false},
		{"what was in it can be kept", []shim.Prep{{Op: "empty", Path: "DIR/m", Keep: "DIR/kept"}}, "755 0 tmpfs\nkept:\n.hidden\nold\nsub\n", true},
		{"a folder can replace its content", []shim.Prep{{Op: "replace", Path: "DIR/m", From: "DIR/from"}}, "755 0 tmpfs\nnew\n", false},
		{"removing it empties it", []shim.Prep{{Op: "remove", Path: "DIR/m"}}, "777 65534 tmpfs\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i, op := range c.ops {
				c.ops[i].Path = strings.Replace(op.Path, "DIR", dir, 1)
				c.ops[i].From = strings.Replace(op.From, "DIR", dir, 1)
				c.ops[i].Keep = strings.Replace(op.Keep, "DIR", dir, 1)
			}
			mounted := []string{"unshare", "--mount", "sh", "-c", `set -e; cd "$0"; mkdir m from; echo x > from/new; mount -t tmpfs none m
				mkdir m/sub; echo x > m/sub/file; echo x > m/old; echo x > m/.hidden; chown 65534 m; chmod 777 m; exec "$@"`, dir}
			var r recorder
			rep := carryArgv(t, append(mounted, command(t, shim.Spec{Prepare: c.ops, Dir: dir,
				Argv: sh(`stat -c '%a %u' m | tr '\n' ' '; stat -f -c %T m; ls -A m; [ ! -e kept ] || { echo kept:; ls -A kept; }`)})...), &r)
			if rep.Start != nil {
				t.Fatal(rep.Start.Detail)
			}
			if d := cmp.Diff(c.want, r.out.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if (len(rep.Kept) > 0) != c.kept {
				t.Errorf("kept %v", rep.Kept)
			}
		})
	}
}

func TestPrepareOnAnOverlay(t *testing.T) {
	t.Parallel()
	// An overlay refuses to rename a folder of its lower layer, such as one that came with the image (EXDEV).
	dir := t.TempDir()
	setup := `set -e; cd "$0"; mount -t tmpfs none .; cd "$0"; mkdir lower upper work m; cd lower; mkdir -p tests/sub from/deep
		echo 1 > tests/sub/old; echo 2 > from/deep/new; chmod 700 tests/sub; cd ..
		mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none m; `
	if err := exec.Command("unshare", "--mount", "sh", "-c", setup+"exit 0", dir).Run(); err != nil {
		t.Skipf("no overlay can be mounted here: %v", err)
	}
	m := dir + "/m"
	var r recorder
	rep := carryArgv(t, append([]string{"unshare", "--mount", "sh", "-c", setup + `exec "$@"`, dir}, command(t, shim.Spec{
		Prepare: []shim.Prep{{Op: "replace", Path: m + "/tests", From: m + "/from", Keep: m + "/kept"}},
		Dir:     m, Argv: sh(`find . -type f | sort; stat -c %a kept/sub`),
	})...), &r)
	if rep.Start != nil {
		t.Fatal(rep.Start.Detail)
	}
	if d := cmp.Diff("./kept/sub/old\n./tests/deep/new\n700\n", r.out.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestImmutableLeftoversAreTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "fixed"), "x", 0o644)
	if err := exec.Command("chattr", "+i", file).Run(); err != nil {
		t.Skipf("no file can be made immutable here: %v", err)
	}
	t.Cleanup(func() { _ = exec.Command("chattr", "-i", file).Run() })
	rep := carry(t, shim.Spec{Argv: []string{"true"}, Prepare: []shim.Prep{{Op: "empty", Path: dir}}}, new(recorder))
	if rep.Start == nil || rep.Start.Kind != shim.StartPrepare || !strings.Contains(rep.Start.Detail, "fixed") {
		t.Errorf("report: %+v", rep.Start)
	}
}

func TestMeasuredFoldersAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rep := carry(t, shim.Spec{Argv: sh("printf 12345 > " + dir + "/a; ln -s /usr " + dir + "/link"), Measure: []string{dir, dir + "/none"}}, new(recorder))
	if d := cmp.Diff(map[string]shim.Size{dir: {Bytes: 5, Files: 2}, dir + "/none": {}}, rep.Measured); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestWithoutACommandThereIsOnlyPreparingAndMeasuring(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "123", 0o644)
	rep := carry(t, shim.Spec{Prepare: []shim.Prep{{Op: "mkdir", Path: dir + "/new"}}, Measure: []string{dir}}, new(recorder))
	if d := cmp.Diff(map[string]shim.Size{dir: {Bytes: 3, Files: 1}}, rep.Measured); d != "" || rep.Start != nil {
		t.Errorf("%+v (-want +got)\n%s", rep.Start, d)
	}
	if missing(dir + "/new") {
		t.Error("the folder was not made")
	}
}

func TestResourceUseIsReported(t *testing.T) {
	t.Parallel()
	rep := carry(t, shim.Spec{Argv: sh(`i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done`)}, new(recorder))
	if rep.UserSec+rep.SysSec <= 0 || rep.MaxRSSKB <= 0 {
		t.Errorf("report: %+v", rep)
	}
	if _, err := os.Stat("/sys/fs/cgroup/memory/memory.oom_control"); err == nil && rep.OOMKills != 0 {
		t.Errorf("%d processes ran out of memory", rep.OOMKills)
	}
}
