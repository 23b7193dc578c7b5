package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// diagnosis is what the tests read of `seatrial why --json`.
type diagnosis struct {
	Format   string `json:"format"`
	Side     string `json:"side"`
	Code     string `json:"code"`
	Findings []struct {
		Side, Code string
		Cause      bool
		Proof      []string
	} `json:"findings"`
}

// why diagnoses a run's only trial.
func (r *ran) why(t *testing.T) *diagnosis {
	t.Helper()
	var d diagnosis
	code, out, errs := seatrial(t, nil, "why", "--json", r.trialDir(t))
	if code != 0 || json.Unmarshal([]byte(out), &d) != nil || d.Format != "seatrial-why" || len(d.Findings) == 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	_, text, _ := seatrial(t, nil, "why", r.trialDir(t))
	if !strings.HasPrefix(text, d.Side+": ") {
		t.Errorf("the first line is not the verdict %s:\n%s", d.Side, text)
	}
	return &d
}

// found gives the proof of a finding, as one text.
func (d *diagnosis) found(t *testing.T, code string) string {
	t.Helper()
	for _, f := range d.Findings {
		if f.Code == code {
			return strings.Join(f.Proof, "\n")
		}
	}
	t.Errorf("no %s among %+v", code, d.Findings)
	return ""
}

// verdict sees that the first finding is as it should be.
func verdict(side, code string, proof ...string) func(*testing.T, *ran) {
	return func(t *testing.T, r *ran) {
		d := r.why(t)
		if d.Side != side || d.Code != code {
			t.Errorf("verdict %s, %s, want %s, %s: %+v", d.Side, d.Code, side, code, d.Findings)
		}
		for _, p := range proof {
			if text := d.found(t, code); !strings.Contains(text, p) {
				t.Errorf("the proof does not have %q:\n%s", p, text)
			}
		}
	}
}

func TestWhyATrialCameOutAsItDid(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name:  "why of the full score",
			task:  "-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\n",
			want:  outcome{score: 1},
			check: verdict("none", "full_score"),
		},
		{
			name:  "why of an agent that fails",
			args:  []string{"--agent-cmd", "echo gave up >&2; exit 3"},
			want:  outcome{score: 0, warns: []string{"agent_error"}},
			check: verdict("agent", "agent_failed", "agent.exit = 3", "agent/stderr.log:1: gave up"),
		},
		{
			name: "why of an agent that runs into its limit",
			args: []string{"--agent-cmd", "sleep 30", "--agent-timeout", "1s"},
			want: outcome{score: 0, warns: []string{"agent_timed_out"}},
			check: func(t *testing.T, r *ran) {
				if text := r.why(t).found(t, "agent_timeout"); !strings.Contains(text, `agent.limit_source = "--agent-timeout"`) { // on a busy machine that is not the verdict
					t.Error(text)
				}
			},
		},
		{
			name:  "why of an agent that does nothing",
			args:  []string{"--agent-cmd", "true"},
			want:  outcome{score: 0},
			check: verdict("agent", "agent_idle", "agent.changed_files = 0", "agent.stdout.bytes = 0"),
		},
		{
			name: "why of an agent that computes beyond its processor",
			task: "-- environment/docker-compose.yaml --\nservices:\n  main:\n    cpus: 0.2\n",
			args: []string{"--agent-cmd", "touch /app/new; for i in 1 2 3 4; do timeout 3 sh -c 'while :; do :; done' & done; wait"},
			want: outcome{score: 0},
			check: func(t *testing.T, r *ran) {
				if p := r.trial(t).Agent.Pressure; p == nil || p.Periods == nil || *p.Periods == 0 {
					t.Skip("the engine does not say how processors are shared out")
				}
				r.why(t).found(t, "cpu_throttled")
			},
		},
		{
			name:  "why of tests that leave no reward",
			task:  "-- tests/test.sh --\n#!/bin/sh\necho broken\nexit 1\n",
			want:  outcome{code: "reward_missing", phase: "verifier"},
			check: verdict("task", "reward_missing", "case.error.exit = 1", "broken"),
		},
		{
			name:  "why of tests without an interpreter",
			task:  "-- tests/test.sh --\n#!/usr/bin/nothing-of-that-name\n",
			want:  outcome{code: "verifier_error", phase: "verifier"},
			check: verdict("task", "tests_not_started", `verifier.start_error = "interpreter_missing"`),
		},
	})
}
