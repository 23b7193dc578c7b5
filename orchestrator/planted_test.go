package orchestrator_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestThePlantedRewardIsKeptAsEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{agent: acts(reward(`{"reward": 1}`), writes("/tests/test.sh", "#!/bin/sh\ntrue\n")), tests: reward(`{"reward": 0}`)})
		p := planOf(t, "plain")
		h.play(t.Context(), t, p)
		if got := h.file(t, p, "artifacts", "planted-in-verifier", "reward.json"); got != `{"reward": 1}` {
			t.Errorf("the evidence is %q", got)
		}
		if got, _ := h.eng.all[0].read("/tests/test.sh"); !strings.Contains(got, "reward.txt") {
			t.Errorf("the tests that ran are not the task's: %q", got)
		}
	})
}

func TestTheTestsAreNotThereWhileTheAgentWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var during map[string]string
		look := func(_ context.Context, p *process) (*shim.Report, error) { during = p.snapshot(); return nil, nil }
		h := newHouse(t, scene{agent: look, tests: reward(`{"reward": 1}`)})
		h.play(t.Context(), t, planOf(t, "plain", command("work")))
		for name, text := range during {
			if strings.Contains(name, "test") || strings.Contains(name, "solution") || strings.Contains(text, "reward") {
				t.Errorf("the agent can read %s: %q", name, text)
			}
		}
		if during["/seatrial/instruction.md"] != "Do the work of plain.\n" {
			t.Errorf("the instruction is %q", during["/seatrial/instruction.md"])
		}
	})
}

func TestTheAgentIsToldItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		p := planOf(t, "plain", command("work --hard"), func(o *orchestrator.Options) { o.AgentEnv = map[string]string{"MODE": "test"} })
		h.play(t.Context(), t, p)
		cmds := h.eng.all[0].commands("sh")
		if len(cmds) != 1 {
			t.Fatalf("%d commands", len(cmds))
		}
		want := map[string]string{"MODE": "test", "SEATRIAL_INSTRUCTION": "Do the work of plain.\n", "SEATRIAL_INSTRUCTION_FILE": "/seatrial/instruction.md",
			"SEATRIAL_LOGS": "/logs/agent", "SEATRIAL_TASK": "fixtures/plain"}
		if diff := cmp.Diff(want, cmds[0].Env); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"work"}, cmds[0].Spec.Needs); diff != "" {
			t.Errorf("needed programs (-want +got):\n%s", diff)
		}
		if !cmds[0].Spec.KeepLeftovers || cmds[0].Spec.Dir != "/app" {
			t.Errorf("the command is %+v", cmds[0].Spec)
		}
	})
}

func TestACommandsProgramIsKnownOnlyWhereItIsSure(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"claude -p hi", []string{"claude"}},
		{"/opt/agent/run", []string{"/opt/agent/run"}},
		{"  spaced  out", []string{"spaced"}},
		{"cd /app && make", nil},
		{"FOO=1 agent", nil},
		{"$AGENT run", nil},
		{"(agent)", nil},
		{"'agent' x", nil},
		{"if true; then agent; fi", nil},
		{"agent;other", nil},
		{"", nil},
	} {
		t.Run("command "+c.command, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
				p := planOf(t, "plain", command(c.command))
				h.play(t.Context(), t, p)
				if diff := cmp.Diff(c.want, h.eng.all[0].commands("sh")[0].Spec.Needs); diff != "" {
					t.Errorf("needed programs (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestUsersAndFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		h.eng.config.User, h.eng.config.WorkingDir, h.eng.config.Env = "imageuser", "/image/dir", []string{"HOME=/image/home"}
		h.play(t.Context(), t, planOf(t, "beside"))
		box := h.eng.all[0]
		agent, tests := box.commands("/solution/solve.sh")[0], box.commands("/tests/test.sh")[0]
		if agent.Spec.User != "worker" || tests.Spec.User != "root" {
			t.Errorf("the agent is %q, the tests are %q", agent.Spec.User, tests.Spec.User)
		}
		if agent.Spec.Dir != "/image/dir" || agent.Spec.SetHome {
			t.Errorf("the agent works in %q, home set: %v", agent.Spec.Dir, agent.Spec.SetHome)
		}
		if agent.Spec.KeepLeftovers == tests.Spec.KeepLeftovers {
			t.Error("an agent's daemons may stay for the tests, and the tests' may not")
		}
	})
}

func TestAPrebuiltImageGetsTheEnvironmentFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"found": 3}`)})
		h.eng.config.WorkingDir = "/srv"
		rec := h.play(t.Context(), t, planOf(t, "bare", nop))
		if got, _ := h.eng.all[0].read("/srv/data.txt"); got != "data\n" {
			t.Errorf("the environment's file is %q", got)
		}
		check(t, h, rec, ending{score: 3, warnings: []string{"case_unnamed"}})
	})
}
