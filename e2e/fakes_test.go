package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// refund is the example task with fakes as an archive, with some of its files replaced.
func refund(t *testing.T, instead string) string {
	t.Helper()
	var a txtar.Archive
	root := os.DirFS(demo(t, "refund"))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return instead + string(txtar.Format(&a))
}

// with is task.toml of the example with one text replaced.
func with(t *testing.T, old, instead string) string {
	t.Helper()
	return "-- task.toml --\n" + edited(t, demoFile(t, "task.toml"), old, instead)
}

func demoFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(demo(t, "refund"), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edited sees that what is to be replaced is there.
func edited(t *testing.T, text, old, instead string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("the example has no %q any more", old)
	}
	return strings.Replace(text, old, instead, 1)
}

// by gives the arguments that have one of the example's agents do the work.
func by(t *testing.T, agent string) []string {
	t.Helper()
	return []string{"--agent-cmd", demoFile(t, "agents/"+agent+".sh")}
}

// dimensions sees that a case has these scores and no others.
func dimensions(want map[string]float64) func(*testing.T, *ran) {
	return func(t *testing.T, r *ran) {
		t.Helper()
		got := map[string]float64{}
		for _, s := range r.only(t).Scores {
			if s.Value != nil {
				got[s.Name] = *s.Value
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("scores (-want +got):\n%s", d)
		}
	}
}

// evidenceFiles are those of a run's only trial by name.
func evidenceFiles(t *testing.T, r *ran) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range []string{"manifest.json", "initial.json", "final.json", "calls.jsonl", "outbound.jsonl", "violations.jsonl", "refused.jsonl", "done.json"} {
		got[name] = r.text(t, "artifacts", "fakes", name)
	}
	return got
}

func TestFakesTellAgentsApart(t *testing.T) {
	t.Parallel()
	list := []behaviour{}
	for _, a := range []struct {
		agent, name          string
		state, writes, mails float64
	}{
		{"pass", "an agent that does what is asked has all of the score", 1, 1, 1},
		{"variation", "an agent that does it in another way has all of the score", 1, 1, 1},
		{"fail", "an agent that tries what is not allowed has none of the score", 0, 0, 0},
		{"shortcut", "an agent that only says that it is done has the part for saying so", 0, 1, 1},
	} {
		list = append(list, behaviour{name: a.name, task: refund(t, ""), args: by(t, a.agent), want: outcome{score: (a.state + a.writes + a.mails) / 3},
			check: dimensions(map[string]float64{"state": a.state, "writes": a.writes, "mail": a.mails})})
	}
	list = append(list,
		behaviour{name: "an agent that does nothing has the part for breaking nothing", task: refund(t, ""), args: []string{"--agent", "nop"}, want: outcome{score: 1. / 3},
			check: dimensions(map[string]float64{"state": 0, "writes": 1, "mail": 0})},
		behaviour{name: "fakes are reached by an agent that has the network too", task: refund(t, with(t, `network_mode = "no-network"`, `network_mode = "public"`)),
			args: by(t, "pass"), want: outcome{score: 1}},
		behaviour{name: "the agent is told where the fakes are", task: refund(t, ""), want: outcome{score: 1. / 3}, check: func(t *testing.T, r *ran) {
			t.Helper()
			const mcp = `[{"name":"billing","transport":"streamable-http","url":"http://fakes:8000/mcp/billing"}]`
			if got, want := r.text(t, "agent", "stdout.log"), mcp+"\n"+mcp+"\n"+`{"mail":"http://fakes:8000/http/mail"}`+"\n"; got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		}, args: []string{"--agent-cmd", `echo "$SEATRIAL_MCP_SERVERS"; echo "$(cat $SEATRIAL_MCP_SERVERS_FILE)"; echo "$SEATRIAL_HTTP_SERVERS"`}},
	)
	behave(t, list)
}

func TestFakesThatFailByPlan(t *testing.T) {
	t.Parallel()
	badDay := refund(t, with(t, `scenario = "damaged-on-arrival"`, `scenario = "bad-day"`))
	faults := func(t *testing.T, r *ran) {
		t.Helper()
		calls := r.text(t, "artifacts", "fakes", "calls.jsonl")
		for _, f := range []string{`"fault":"isError"`, `"fault":"delay"`, `"fault":"error"`} {
			if !strings.Contains(calls, f) {
				t.Errorf("no %s in the journal:\n%s", f, calls)
			}
		}
	}
	behave(t, []behaviour{
		{name: "an agent that gives up at a fault has what it did", task: badDay, args: by(t, "pass"), want: outcome{score: 2. / 3}, check: faults},
		{
			name: "an agent that tries again has all of the score", task: badDay, want: outcome{score: 1}, check: faults,
			args: []string{"--agent-cmd", "mcp list_invoices '{\"customer\": \"cus_ada\"}'\n" + strings.TrimSpace(demoFile(t, "agents/pass.sh")) +
				" || wget -q -O - --header 'Content-Type: application/json' --post-data '{\"to\": \"ada@example.org\", \"subject\": \"r\", \"text\": \"t\"}' http://fakes:8000/http/mail/v1/messages"},
		},
	})
}

// rewarded is a test.sh that is content with anything.
const rewarded = "-- tests/test.sh --\n#!/bin/sh\necho '{\"reward\": 1}' >/logs/verifier/reward.json\n"

func TestFakesThatBreakTheirContract(t *testing.T) {
	t.Parallel()
	billing := demoFile(t, "environment/fakes/billing/fake.toml")
	const get = `steps = [{ op = "get", entity = "customer", id = "args.id", missing = { text = "No such customer: {id}" } }]
answer = "customer"`
	const place = "-- environment/fakes/billing/"
	voided := func(says ...string) func(*testing.T, *ran) {
		return func(t *testing.T, r *ran) {
			t.Helper()
			c := r.only(t)
			if c.Score != nil || len(c.Scores) > 0 || c.Error.Service != "fakes" || len(c.Error.Lines) != 1 {
				t.Errorf("score %v, scores %+v, fault %+v", c.Score, c.Scores, c.Error)
			}
			for _, s := range says {
				if !strings.Contains(strings.Join(c.Error.Lines, "\n"), s) {
					t.Errorf("the fault does not say %q: %q", s, c.Error.Lines)
				}
			}
		}
	}
	ask := []string{"--agent-cmd", `mcp get_customer '{"id": "cus_ada"}'`}
	breach := outcome{code: "fake_contract_violation", phase: "collect", says: []string{"rewards do not count"}}
	behave(t, []behaviour{
		{
			name: "an answer that its schema does not allow makes good rewards void", args: by(t, "pass"), want: breach, check: voided("billing.list_invoices", "item"),
			task: refund(t, rewarded+with(t, `scenario = "damaged-on-arrival"`, `scenario = "out-of-contract"`)),
		},
		{
			name: "an answer that its schema does not allow goes before missing rewards", args: by(t, "pass"), want: breach, check: voided("billing.list_invoices"),
			task: refund(t, "-- tests/test.sh --\n#!/bin/sh\nexit 3\n"+with(t, `scenario = "damaged-on-arrival"`, `scenario = "out-of-contract"`)),
		},
		{
			name: "a fake that was not made to break has a score", args: by(t, "fail"), want: outcome{score: 0},
			task: refund(t, with(t, `scenario = "damaged-on-arrival"`, `scenario = "out-of-contract"`)),
		},
		{
			name: "a handler that answers outside its schema makes good rewards void", args: ask, want: breach, check: voided("billing.get_customer", "mail"),
			task: refund(t, rewarded+place+"fake.toml --\n"+edited(t, billing, get, `output = { type = "object", required = ["mail"] }`)+
				place+"handlers.star --\ndef get_customer(args, db, ctx):\n    return {\"id\": args.id}\n"),
		},
		{
			name: "a handler that fails makes good rewards void", args: ask, want: breach, check: voided("billing.get_customer", "nowhere"),
			task: refund(t, rewarded+place+"fake.toml --\n"+edited(t, billing, get, "")+
				place+"handlers.star --\ndef get_customer(args, db, ctx):\n    return {}[\"nowhere\"]\n"),
		},
		{
			name: "a handler that writes what the write map does not have makes good rewards void", args: ask, want: breach, check: voided("billing.get_customer", "write map"),
			task: refund(t, rewarded+place+"fake.toml --\n"+edited(t, billing, get, "")+
				place+"handlers.star --\ndef get_customer(args, db, ctx):\n    return db.update(\"customer\", args.id, name=\"Eve\")\n"),
		},
	})
}

func TestFakesThatAreKilledEndTheTrial(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, "--agent-cmd", "mcp list_invoices '{\"customer\": \"cus_ada\"}'; sleep 54", newTask(t, "task", refund(t, rewarded)))
	j.awaitPhase("agent", "54")
	cs := containers(t, j.id)
	i := slices.IndexFunc(cs, func(c container.Summary) bool { return strings.HasSuffix(c.Names[0], "-fakes") })
	if i < 0 {
		t.Fatalf("no container of fakes among %+v", cs)
	}
	if err := shared.engine.ContainerKill(t.Context(), cs[i].ID, "KILL"); err != nil {
		t.Fatal(err)
	}
	r := j.end()
	clean(t, r.id)
	expect(t, r, outcome{code: "sidecar_failed", phase: "agent", says: []string{"fakes"}})
	if e := r.only(t).Error; e == nil || e.Service != "fakes" {
		t.Errorf("fault %+v", e)
	}
}

func TestFakesLeaveTheSameEvidenceTwice(t *testing.T) {
	t.Parallel()
	task := newTask(t, "task", refund(t, ""))
	for _, agent := range []string{"variation", "fail"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			one := evidenceFiles(t, seatrialRun(t, append(by(t, agent), task)...))
			two := evidenceFiles(t, seatrialRun(t, append(by(t, agent), task)...))
			if d := cmp.Diff(one, two); d != "" {
				t.Errorf("the second run's evidence is another (-first +second):\n%s", d)
			}
		})
	}
}
