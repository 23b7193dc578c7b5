package orchestrator_test

import (
	"encoding/base64"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"

	"context"
	"io"
)

// disguises are the ways in which a secret may turn up in a file.
func disguises(secret string) []string {
	return []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), url.QueryEscape(secret), strings.ReplaceAll(secret, `"`, `\"`)}
}

// noSecretIn looks through every file of a folder.
func noSecretIn(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, s := range secrets {
			for _, form := range disguises(s) {
				if strings.Contains(string(data), form) {
					t.Errorf("%s holds the secret %q as %q", path, s, form)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 3 {
		t.Fatalf("%d files, %v", seen, err)
	}
}

func TestSecretsAreInNoFile(t *testing.T) {
	token, _ := host("API_TOKEN")
	judge, _ := host("JUDGE_KEY")
	solve, _ := host("SOLVE_KEY")
	const flag = "from-a-flag-5150"
	all := []string{token, judge, solve, flag}
	shout := strings.Join(all, " and ") + "\n"
	disguised := strings.Join(slices.Concat(disguises(token), disguises(judge), disguises(solve), disguises(flag)), "\n")
	secret := func(o *orchestrator.Options) {
		o.AgentEnv = map[string]string{"MY_SECRET": flag}
		o.SecretValues = []string{flag}
	}
	for _, c := range []struct {
		name  string
		scene scene
	}{
		{"a trial whose parts all print them", scene{
			image: func(_ context.Context, _ orchestrator.Source, log io.Writer) error {
				_, err := io.WriteString(log, "#1 RUN echo "+shout)
				return err
			},
			agent: acts(prints(shout), complains(disguised), writes("/logs/agent/notes.txt", shout), writes("/logs/artifacts/a/b.txt", disguised),
				writes("/logs/agent/trajectory.json", `{"schema_version":"ATIF-v1.7","agent":{"name":"x","model_name":"`+token+`"},"steps":[]}`), exits(1)),
			tests: acts(prints(disguised), complains(shout),
				writes("/logs/verifier/reward-details.json", `{"reward": {"score": 1, "criteria": [{"name": "`+token+`", "value": 1, "reasoning": "saw `+flag+`"}]}}`),
				reward(`{"reward": 1}`)),
		}},
		{"tests that write them as a broken reward", scene{tests: acts(prints(shout), reward(`{"`+token+`": "`+flag+`"}`), exits(1))}},
		{"tests that write them into other files' names and leave no reward", scene{tests: acts(complains(shout), writes("/logs/verifier/log.txt", shout), exits(2))}},
		{"a build that fails with them", scene{image: func(context.Context, orchestrator.Source, io.Writer) error {
			return &images.BuildError{Reason: images.StepExit, Dockerfile: "Dockerfile", Line: 3, Step: "RUN curl -H " + token, ExitCode: 22, LastLines: []string{shout}}
		}}},
		{"a container that dies with them", scene{up: func(context.Context, *fakeBox) error {
			return &sidecar.DeadError{Service: "main", Why: "exited", ExitCode: 1, Probe: shout, Log: []string{shout}}
		}}},
		{"an agent that does not start because of them", scene{agent: neverStarts(shim.StartOther, "exec "+shout)}},
		{"a removal that fails with them", scene{tests: reward(`{"reward": 1}`), down: func(context.Context) error { return &sidecar.LeakError{Left: []string{"container " + token}} }}},
		{"processes with their names", scene{tests: reward(`{"reward": 1}`), agent: func(context.Context, *process) (*shim.Report, error) {
			return &shim.Report{LeftoverCount: 1, Leftovers: []shim.Process{{PID: 1, Name: token}}}, nil
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, c.scene)
				rec := h.play(t.Context(), t, planOf(t, "secretive", secret))
				noSecretIn(t, h.Folder.Path, all...)
				if text := stable(t, rec); strings.Contains(text, flag) || strings.Contains(text, token) {
					t.Errorf("the record holds a secret:\n%s", text)
				}
				for _, e := range h.events {
					if strings.Contains(e.Text, token) {
						t.Errorf("an event holds a secret: %+v", e)
					}
				}
			})
		})
	}
}

func TestSecretsReachWhoNeedsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		rec := h.play(t.Context(), t, planOf(t, "secretive"))
		box := h.eng.all[0]
		agent, tests := box.commands("/solution/solve.sh")[0].Env, box.commands("/tests/test.sh")[0].Env
		for _, c := range []struct {
			who, name string
			env       map[string]string
			want      bool
		}{
			{"the solution", "API_TOKEN", agent, true},
			{"the solution", "SOLVE_KEY", agent, true},
			{"the solution", "PLAIN", agent, true},
			{"the solution", "JUDGE_KEY", agent, false},
			{"the tests", "API_TOKEN", tests, true},
			{"the tests", "JUDGE_KEY", tests, true},
			{"the tests", "SOLVE_KEY", tests, false},
		} {
			if _, ok := c.env[c.name]; ok != c.want {
				t.Errorf("%s has %s: %v, want %v", c.who, c.name, ok, c.want)
			}
		}
		for _, cmd := range box.ran {
			argv, err := cmd.Spec.Command()
			if err != nil {
				t.Fatal(err)
			}
			token, _ := host("API_TOKEN")
			if strings.Contains(strings.Join(argv, " "), token) {
				t.Errorf("a command line holds a secret: %q", argv)
			}
		}
		if diff := cmp.Diff([]string{"API_TOKEN", "JUDGE_KEY", "PLAIN"}, rec.EnvNames); diff != "" {
			t.Errorf("env_names (-want +got):\n%s", diff)
		}
	})
}

func TestSecret(t *testing.T) {
	for _, c := range []struct {
		name, variable, value string
		host, want            bool
	}{
		{"a value whose name says so is one", "OPENAI_API_KEY", "abcd", false, true},
		{"capitals do not matter", "my_password", "abcd", false, true},
		{"too short a value is none", "API_KEY", "abc", true, false},
		{"another value of the host's is one from eight bytes on", "REGION", "eu-west-1", true, true},
		{"another short value of the host's is none", "LANG", "C.UTF-8", true, false},
		{"another given value is none", "REGION", "eu-west-1", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := len(orchestrator.Secret(c.variable, c.value, c.host)) == 1; got != c.want {
				t.Errorf("secret = %v, want %v", got, c.want)
			}
		})
	}
}

func TestHideValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		args, out []string
	}{
		{"a value behind the flag", []string{"run", "--agent-env", "KEY=abc"}, []string{"run", "--agent-env", "KEY=[masked]"}},
		{"a value in the flag", []string{"--verifier-env=KEY=a=b"}, []string{"--verifier-env=KEY=[masked]"}},
		{"a name alone", []string{"--compose-env", "KEY", "--compose-env=KEY"}, []string{"--compose-env", "KEY", "--compose-env=KEY"}},
		{"an empty value", []string{"--agent-env", "KEY="}, []string{"--agent-env", "KEY=[masked]"}},
		{"several", []string{"--agent-env", "A=1", "--agent-env", "B=2", "x=y"}, []string{"--agent-env", "A=[masked]", "--agent-env", "B=[masked]", "x=y"}},
		{"a flag at the end", []string{"run", "--agent-env"}, []string{"run", "--agent-env"}},
		{"other flags stay", []string{"--agent-timeout=5s", "--rewards", "harbor"}, []string{"--agent-timeout=5s", "--rewards", "harbor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := slices.Clone(c.args)
			if diff := cmp.Diff(c.out, orchestrator.HideValues(c.args)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(given, c.args); diff != "" {
				t.Errorf("its argument was changed:\n%s", diff)
			}
		})
	}
}
