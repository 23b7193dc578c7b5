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

func TestStart(t *testing.T) {
	t.Parallel()
	// Elsewhere than under the test's own folder, since other users must reach it.
	dir := openDir(t)
	file := func(name, text string, mode os.FileMode) string {
		return write(t, filepath.Join(dir, name), text, mode)
	}
	// A program for another machine: the machine's field of our own changed.
	alien, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	alien[18], alien[19] = 22, 0 // s390x
	type outcome struct {
		Kind    string
		Mention string // in the detail or a warning
		Exit    int
		Out     string
		Warning string
	}
	for _, c := range []struct {
		name string
		spec shim.Spec
		want outcome
	}{
		{"a script with a shebang runs", shim.Spec{Script: true, Argv: []string{file("ok", "#!/bin/sh\necho $0 $1; exit 4\n", 0o755), "arg"}},
			outcome{Exit: 4, Out: dir + "/ok arg\n"}},
		{"a missing script is named", shim.Spec{Script: true, Argv: []string{dir + "/none"}},
			outcome{Exit: 127, Kind: shim.StartNotFound, Mention: dir + "/none"}},
		{"a missing program is named with the PATH", shim.Spec{Argv: []string{"no-such-program"}},
			outcome{Exit: 127, Kind: shim.StartNotFound, Mention: "PATH"}},
		{"without a command nothing starts", shim.Spec{Dir: "/nowhere"}, outcome{}},
		{"a command without a name is told", shim.Spec{Argv: []string{""}}, outcome{Exit: 127, Kind: shim.StartNotFound, Mention: "empty"}},
		{"a script without the execute bit is told", shim.Spec{Script: true, Argv: []string{file("nox", "#!/bin/sh\n", 0o644)}},
			outcome{Exit: 126, Kind: shim.StartPermission, Mention: "execute bit"}},
		{"a folder is told", shim.Spec{Script: true, Argv: []string{dir}}, outcome{Exit: 126, Kind: shim.StartPermission, Mention: "folder"}},
		{"a missing interpreter is named", shim.Spec{Script: true, Argv: []string{file("noint", "#!/opt/none/bash -e\n", 0o755)}},
			outcome{Exit: 127, Kind: shim.StartInterpreter, Mention: "/opt/none/bash"}},
		{"a missing interpreter behind env is named", shim.Spec{Script: true, Argv: []string{file("noenv", "#!/usr/bin/env no-such-python\n", 0o755)}},
			outcome{Exit: 127, Kind: shim.StartInterpreter, Mention: "no-such-python"}},
		{"Windows line endings are told", shim.Spec{Script: true, Argv: []string{file("crlf", "#!/bin/sh\r\necho\r\n", 0o755)}},
			outcome{Exit: 126, Kind: shim.StartCRLF, Mention: "line 1"}},
		{"Windows line endings behind env are told", shim.Spec{Script: true, Argv: []string{file("crlfenv", "#!/usr/bin/env sh\r\n", 0o755)}},
			outcome{Exit: 126, Kind: shim.StartCRLF, Mention: "Windows"}},
		{"Windows line endings behind an option are told", shim.Spec{Script: true, Argv: []string{file("crlfopt", "#!/bin/sh -e\r\n", 0o755)}},
			outcome{Exit: 126, Kind: shim.StartCRLF, Mention: "Windows"}},
		{"a script without a shebang runs in a shell", shim.Spec{Script: true, Argv: []string{file("plain", "echo $0 $1; exit 6\n", 0o755), "arg"}},
			outcome{Exit: 6, Out: dir + "/plain arg\n", Warning: "no_shebang", Mention: "/bin/"}},
		{"an empty script succeeds in a shell", shim.Spec{Script: true, Argv: []string{file("empty", "", 0o755)}},
			outcome{Warning: "no_shebang", Mention: "empty"}},
		{"a command without a shebang is not mended", shim.Spec{Argv: []string{file("plaincmd", "echo hi\n", 0o755)}},
			outcome{Exit: 126, Kind: shim.StartFormat, Mention: "interpreter"}},
		{"a program for another machine is told", shim.Spec{Script: true, Argv: []string{file("alien", string(alien), 0o755)}},
			outcome{Exit: 126, Kind: shim.StartFormat, Mention: "s390x"}},
		{"binary rubbish is told", shim.Spec{Script: true, Argv: []string{file("rubbish", "\x00\x01\x02", 0o755)}},
			outcome{Exit: 126, Kind: shim.StartFormat, Mention: "neither"}},
		{"a working directory is used", shim.Spec{Argv: []string{"pwd"}, Dir: dir}, outcome{Out: dir + "\n"}},
		{"a relative command is looked for in it", shim.Spec{Script: true, Argv: []string{"./ok", "x"}, Dir: dir},
			outcome{Exit: 4, Out: "./ok x\n"}},
		{"a missing working directory is told", shim.Spec{Argv: []string{"pwd"}, Dir: dir + "/nowhere"},
			outcome{Exit: 126, Kind: shim.StartDir, Mention: "nowhere"}},
		{"a missing working directory may have a fallback", shim.Spec{Argv: []string{"pwd"}, Dir: dir + "/nowhere", DirFallback: "/"},
			outcome{Out: "/\n", Warning: "dir_missing", Mention: "nowhere"}},
		{"an unknown user is named", shim.Spec{Argv: []string{"true"}, User: "no-such-user"},
			outcome{Exit: 126, Kind: shim.StartUser, Mention: "no-such-user"}},
		{"an unknown group is named", shim.Spec{Argv: []string{"true"}, User: "0:no-such-group"},
			outcome{Exit: 126, Kind: shim.StartUser, Mention: "no-such-group"}},
		{"a program that the command needs is looked for", shim.Spec{Argv: []string{"true"}, Needs: []string{"sh", "no-such-tool"}},
			outcome{Exit: 127, Kind: shim.StartNotFound, Mention: "no-such-tool"}},
		{"a preparation that fails is named", shim.Spec{Argv: []string{"true"}, Prepare: []shim.Prep{{Op: "mkdir", Path: "/proc/none"}}},
			outcome{Exit: 126, Kind: shim.StartPrepare, Mention: "/proc/none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			rep := carry(t, c.spec, &r)
			got := outcome{Exit: rep.Exit, Out: r.out.String()}
			text := ""
			if rep.Start != nil {
				got.Kind, text = rep.Start.Kind, rep.Start.Detail
			}
			for _, w := range rep.Warnings {
				got.Warning += w.Code
				text += w.Detail
			}
			if strings.Contains(text, c.want.Mention) {
				got.Mention = c.want.Mention
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%q (-want +got)\n%s", text, d)
			}
		})
	}
}

func TestScriptOnNoexecMount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The namespace ends with the helper, and the mount with it.
	argv := append([]string{"unshare", "--mount", "sh", "-c",
		`mount -t tmpfs -o noexec none ` + dir + ` && printf '#!/bin/sh\n' > ` + dir + `/x && chmod +x ` + dir + `/x && exec "$@"`, "sh"},
		command(t, shim.Spec{Script: true, Argv: []string{dir + "/x"}})...)
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	rep := carryArgv(t, argv, new(recorder))
	if rep.Start == nil || rep.Start.Kind != shim.StartPermission || !strings.Contains(rep.Start.Detail, "noexec") {
		t.Errorf("report: %+v", rep.Start)
	}
}

func TestUserSwitch(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := openDir(t)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		spec shim.Spec
		want string
	}{
		{"an id without an entry has group 0 and home /", shim.Spec{User: "54321", SetHome: true, Argv: sh(`echo $(id -u) $(id -g) $(id -G) $HOME`)}, "54321 0 0 /\n"},
		{"an explicit group is the only one", shim.Spec{User: "54321:777", Argv: sh(`echo $(id -u) $(id -g) $(id -G)`)}, "54321 777 777\n"},
		{"a name is looked up", shim.Spec{User: "nobody", Argv: sh(`[ $(id -un) = nobody ] && echo yes`)}, "yes\n"},
		{"root's own folder is kept as HOME", shim.Spec{User: "root", SetHome: true, Argv: sh(`echo $HOME`)}, "/root\n"},
		{"without a user only HOME is set", shim.Spec{SetHome: true, Argv: sh(`echo $(id -u) $HOME`)}, "0 /root\n"},
		{"the user may open its streams by name", shim.Spec{User: "nobody", Argv: sh(`echo out > /dev/stdout`)}, "out\n"},
		{"a folder that the user cannot enter may be its working directory", shim.Spec{User: "nobody", Dir: closed, Argv: []string{"/bin/echo", "in"}}, "in\n"},
		{"a limit ends a user's processes too", shim.Spec{User: "nobody", LimitMS: 200, Argv: sh(`trap "" TERM; echo x; exec sleep 100`)}, "x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r recorder
			rep := carry(t, c.spec, &r)
			if r.out.String() != c.want || rep.Start != nil {
				t.Errorf("got %q, %q, want %q; %+v", r.out.String(), r.err.String(), c.want, rep.Start)
			}
		})
	}
}

func TestUserSwitchWithoutPrivileges(t *testing.T) {
	t.Parallel()
	needRoot(t)
	unprivileged := func(t *testing.T, spec shim.Spec) *shim.Report {
		t.Helper()
		outer := shim.Spec{User: "54321:54321", Argv: command(t, spec)}
		var r recorder
		rep := carry(t, outer, &r)
		if rep.Start != nil {
			t.Fatal(rep.Start.Detail)
		}
		inner, err := shim.Read(&r.out, new(recorder))
		if err != nil {
			t.Fatal(err)
		}
		return inner
	}
	t.Run("another user is refused", func(t *testing.T) {
		t.Parallel()
		rep := unprivileged(t, shim.Spec{User: "0", Argv: []string{"true"}})
		if rep.Start == nil || rep.Start.Kind != shim.StartSwitch {
			t.Errorf("report: %+v", rep.Start)
		}
	})
	t.Run("the same user needs no switch", func(t *testing.T) {
		t.Parallel()
		rep := unprivileged(t, shim.Spec{User: "54321:54321", Argv: []string{"true"}})
		if rep.Start != nil || rep.Exit != 0 || len(rep.Warnings) != 0 {
			t.Errorf("report: %+v", rep)
		}
	})
}

// openDir is a folder that every user may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "shim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheLimitOnOpenFilesIsTheCommands(t *testing.T) {
	t.Parallel()
	out := new(recorder)
	rep := carry(t, shim.Spec{Argv: sh("ulimit -Sn; ulimit -Hn"), Files: &shim.FileLimit{Soft: 123, Hard: 456}}, out)
	if rep.Exit != 0 || out.out.String() != "123\n456\n" {
		t.Errorf("exit %d, %q", rep.Exit, out.out.String())
	}
}
