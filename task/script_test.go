package task_test

import (
	"testing"

	"github.com/seatrial/seatrial/task"
)

func TestPipesThatHideAnExitCode(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		line   int
	}{
		"the code is asked for on the next line":   {"pytest | tee log\nif [ $? -eq 0 ]; then\necho 1 > reward.txt\nfi", 1},
		"after blank lines and comments":           {"\npytest | tee log\n\n# now\nrc=$?\necho $rc > reward.txt", 2},
		"on the same line":                         {"pytest 2>&1 |& tee log && echo 1 > reward.txt", 1},
		"in a condition":                           {"if pytest | tail -5; then\necho 1 > reward.txt\nfi", 1},
		"with pipefail":                            {"set -o pipefail\npytest | tee log\nrc=$?\necho 1 > reward.txt", 0},
		"with PIPESTATUS":                          {"pytest | tee log\nrc=${PIPESTATUS[0]}\necho 1 > reward.txt", 0},
		"another command stands between":           {"pytest | tee log\ngrep -q ok log\nif [ $? -eq 0 ]; then echo 1 > reward.txt; fi", 0},
		"into a command that tells":                {"pytest | grep -q passed\nif [ $? -eq 0 ]; then echo 1 > reward.txt; fi", 0},
		"in a substitution":                        {"if [ \"$(cat x | head -1)\" = 1 ]; then echo 1 > reward.txt; fi", 0},
		"an or is no pipe":                         {"pytest || tee log\nrc=$?\necho 1 > reward.txt", 0},
		"in a comment":                             {"# pytest | tee log\nrc=$?\necho 1 > reward.txt", 0},
		"no reward is written":                     {"pytest | tee log\nexit $?", 0},
		"a command before the pipe has a decision": {"cd /tests && pytest | tee log\ncat x\necho 1 > reward.txt", 0},
	} {
		if got := task.HiddenExit(tc.script); got != tc.line {
			t.Errorf("%s: line %d, want %d", name, got, tc.line)
		}
	}
}

func TestScriptWarnings(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		want   task.Code
		line   int
	}{
		"no first line for the kernel":          {"echo\n", task.NoShebang, 1},
		"an empty script":                       {"", task.NoShebang, 1},
		"a byte order mark":                     {"\xef\xbb\xbf#!/bin/sh\n", task.ByteOrderMark, 1},
		"Windows line endings below line 1":     {"#!/bin/sh\ntrue\necho\r\n", task.LineEndings, 3},
		"a pipe that hides what tests returned": {"#!/usr/bin/env bash\npytest | tee x\nrc=$?\n: reward\n", task.HiddenExitCode, 2},
		"another language than a shell's":       {"#!/usr/bin/env python3\nx = 1 | tee \nrc=$?\n# reward\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, small())
			write(t, dir, map[string]string{"tests/test.sh": tc.script})
			got, err := task.Load(dir, task.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				if len(got.Warnings) > 0 {
					t.Errorf("got %v, want none", got.Warnings)
				}
				return
			}
			if len(got.Warnings) != 1 || got.Warnings[0].Code != tc.want || got.Warnings[0].Line != tc.line {
				t.Errorf("got %v, want one %s on line %d", got.Warnings, tc.want, tc.line)
			}
		})
	}
}
