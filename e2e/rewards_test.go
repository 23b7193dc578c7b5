package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rewarding is a task whose test.sh runs some lines.
func rewarding(lines string) string {
	return "-- tests/test.sh --\n#!/bin/sh\ncd /logs/verifier\n" + lines + "\n"
}

func TestRewardFiles(t *testing.T) {
	t.Parallel()
	invalid := outcome{code: "reward_invalid", phase: "rewards"}
	behave(t, []behaviour{
		{name: "not a number is no reward", task: rewarding(`echo '{"reward": NaN}' >reward.json`), want: invalid},
		{name: "a reward given twice is no reward", task: rewarding(`echo '{"reward": 0, "reward": 1}' >reward.json`), want: invalid},
		{name: "a bare number in reward.json does not fall through to reward.txt", task: rewarding("echo 1 >reward.json\necho 0 >reward.txt"), want: invalid},
		{name: "an empty reward.json is no reward", task: rewarding(`: >reward.json`), want: invalid},
		{name: "reward.txt alone is taken", task: rewarding(`printf '0.25\r\n' >reward.txt`), want: outcome{score: 0.25, warns: []string{"reward_txt"}}},
		{
			name: "reward.json goes before a reward.txt that differs, which is told", task: rewarding("echo '{\"reward\": 1}' >reward.json\necho 0 >reward.txt"),
			want: outcome{score: 1, warns: []string{"rewards_disagree"}},
			check: func(t *testing.T, r *ran) {
				if f := r.trial(t).RewardFile; f != "reward.json" {
					t.Errorf("the reward is from %q", f)
				}
			},
		},
		{
			name: "any number is taken under Harbor's rules", task: rewarding(`echo '{"reward": 7.5}' >reward.json`), args: []string{"--rewards", "harbor"},
			want: outcome{score: 7.5},
		},
		{
			name: "an unknown version of the contract is refused", task: rewarding("echo '{\"reward\": 1}' >reward.json\necho '{\"rewards\": 99}' >contract.json"),
			want: outcome{code: "contract_unsupported", phase: "rewards"},
		},
	})
}

// secretOnHost is a file on the host that no task may read.
func secretOnHost(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "reward-on-host.json")
	if err := os.WriteFile(file, []byte(`{"reward": 1, "note": "host-secret"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHostileRewardFiles(t *testing.T) {
	t.Parallel()
	host := secretOnHost(t)
	invalid := outcome{code: "reward_invalid", phase: "rewards"}
	noTarget := func(t *testing.T, r *ran) {
		st, err := os.Lstat(filepath.Join(r.trialDir(t), "verifier", "reward.json"))
		if err == nil && !st.Mode().IsRegular() {
			t.Errorf("reward.json on the host is a %s", st.Mode())
		}
		everyFile(t, r.dir, func(name string, data []byte) {
			if strings.Contains(string(data), "host-secret") {
				t.Errorf("%s holds what the link points to", name)
			}
		})
	}
	behave(t, []behaviour{
		{name: "a link to a file of the host is not followed", task: rewarding("ln -s " + host + " reward.json"), want: invalid, check: noTarget},
		{name: "a link to a process's environment is not followed", task: rewarding("ln -s /proc/self/environ reward.json"), want: invalid, check: noTarget},
		{name: "a link upwards is not followed", task: rewarding("ln -s ../../../../run.json reward.json"), want: invalid, check: noTarget},
		{name: "a link loop is not followed", task: rewarding("ln -s reward.json reward.json"), want: invalid, check: noTarget},
		{name: "a device is no reward", task: rewarding("mknod reward.json c 1 5"), want: invalid, check: noTarget},
		{name: "a pipe is no reward", task: rewarding("mkfifo reward.json"), want: invalid, check: noTarget},
		{name: "a folder is no reward", task: rewarding("mkdir reward.json"), want: invalid},
		{name: "a reward of two megabytes is no reward", task: rewarding(`dd if=/dev/zero bs=1M count=2 2>/dev/null | tr '\0' ' ' >reward.json; echo '{"reward": 1}' >>reward.json`), want: invalid},
		{name: "a sparse reward of 100 GB is no reward, and is not waited for", task: rewarding("truncate -s 100G reward.json"), want: invalid},
		{
			name: "a reward beside a core file of 3 GB is found",
			task: rewarding("truncate -s 3G core\necho '{\"reward\": 1}' >reward.json"),
			want: outcome{score: 1, warns: []string{"logs_incomplete"}},
		},
		{
			name: "a link in the place of the verifier's folder is not followed",
			task: "-- tests/test.sh --\n#!/bin/sh\nmkdir /elsewhere\necho '{\"reward\": 1}' >/elsewhere/reward.json\numount /logs/verifier\nrm -rf /logs/verifier && ln -s /elsewhere /logs/verifier\nexit 0\n",
			want: outcome{code: "reward_missing", phase: "verifier"},
		},
		{
			name: "links among the logs are left out and told",
			task: rewarding("echo '{\"reward\": 1}' >reward.json\nln -s " + host + " /logs/agent/x\nln -s " + filepath.Dir(host) + " /logs/artifacts/d"),
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				noTarget(t, r)
				if s := r.trial(t).Collected.Skipped; len(s) < 2 {
					t.Errorf("left out: %v", s)
				}
			},
		},
		{
			name: "files that are closed to all but root can be read and removed on the host",
			task: rewarding("umask 077\necho '{\"reward\": 1}' >reward.json\nmkdir -m 0500 shut\necho x >shut/x 2>/dev/null\ntouch setuid\nchmod 4000 setuid\nchmod 0 reward.json"),
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				st, err := os.Stat(filepath.Join(r.trialDir(t), "verifier", "setuid"))
				if err != nil || st.Mode()&os.ModeSetuid != 0 || st.Mode().Perm()&0o600 != 0o600 {
					t.Errorf("setuid file: %v, %v", st.Mode(), err)
				}
				st, err = os.Stat(filepath.Join(r.trialDir(t), "verifier", "shut"))
				if err != nil || st.Mode().Perm()&0o700 != 0o700 {
					t.Errorf("closed folder: %v, %v", st.Mode(), err)
				}
			},
		},
	})
}

// everyFile reads every regular file below a folder.
func everyFile(t *testing.T, dir string, look func(name string, data []byte)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if st, err := d.Info(); err != nil || st.Size() > 64<<20 {
			return err
		}
		data, err := os.ReadFile(name)
		look(name, data)
		n++
		return err
	})
	if err != nil || n == 0 {
		t.Errorf("read %d files below %s: %v", n, dir, err)
	}
}
