package e2e_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// outsideWorld is a web server on the host, at an address that containers reach, on a port that the gateway forwards by name and on one that it does not.
type outsideWorld struct {
	ip           string
	named, other int
}

func newOutside(t *testing.T) outsideWorld {
	t.Helper()
	need(t)
	w := outsideWorld{ip: hostAddress(t)}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "yes") })}
	t.Cleanup(func() { _ = srv.Close() })
	serve := func(ports ...int) int {
		t.Helper()
		var errs []error
		for _, p := range ports {
			var lc net.ListenConfig
			l, err := lc.Listen(t.Context(), "tcp", fmt.Sprintf("0.0.0.0:%d", p))
			if err != nil {
				errs = append(errs, err)
				continue
			}
			go func() { _ = srv.Serve(l) }()
			return l.Addr().(*net.TCPAddr).Port
		}
		t.Fatal(errors.Join(errs...))
		return 0
	}
	w.named, w.other = serve(8080, 8000, 8443, 80), serve(0)
	return w
}

// hostAddress is an address of this machine's that does not come and go with containers' networks: the one that leads outside, or that of the engine's default
// bridge.
func hostAddress(t *testing.T) string {
	t.Helper()
	if c, err := net.Dial("udp", "198.51.100.1:9"); err == nil { // nothing is sent
		defer c.Close()
		if host, _, err := net.SplitHostPort(c.LocalAddr().String()); err == nil {
			return host
		}
	}
	dev, err := net.InterfaceByName("docker0")
	if err != nil {
		t.Fatalf("the host has no address that containers could reach: %v", err)
	}
	addrs, err := dev.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	t.Fatal("the engine's default bridge has no address")
	return ""
}

// probe is a script that says what can be reached.
func (w outsideWorld) probe() string {
	return fmt.Sprintf(`#!/bin/sh
try() { wget -T 2 -q -O - "$2" 2>/dev/null | grep -q yes && echo "$1 yes" || echo "$1 no"; }
try allowed http://allowed.test:%[2]d/
try below http://sub.wild.test:%[2]d/
try other http://other.test:%[2]d/
try address http://%[1]s:%[2]d/
try port http://allowed.test:%[3]d/
try db http://db:80/rows
nslookup secret.tunnel.test 2>&1 | grep -q 'NXDOMAIN' && echo "asked yes" || echo "asked no"
`, w.ip, w.named, w.other)
}

func (w outsideWorld) compose(sidecar bool) string {
	s := fmt.Sprintf("-- environment/docker-compose.yaml --\nservices:\n  main:\n    extra_hosts: [\"allowed.test:%[1]s\", \"sub.wild.test:%[1]s\", \"other.test:%[1]s\"]\n", w.ip)
	if sidecar {
		s += "    depends_on: [db]\n  db: {image: busybox, command: [sh, -c, 'echo yes >/rows; exec httpd -f -p 80 -h /']}\n"
	}
	return s
}

// reached is what the probe must say under a mode.
func reached(mode string, sidecar bool) map[string]bool {
	open, some := mode == "public", mode == "allowlist"
	return map[string]bool{"allowed": open || some, "below": open || some, "other": open, "address": open, "port": open, "db": sidecar}
}

func said(t *testing.T, text string) map[string]bool {
	t.Helper()
	got := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, yes, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "asked" {
			got[name] = yes == "yes"
		}
	}
	return got
}

// Each phase has the network that the task gives it, whatever the others have: nothing, what is listed, or everything.
func TestNetworkMatrix(t *testing.T) {
	t.Parallel()
	w := newOutside(t)
	modes := []string{"public", "no-network", "allowlist"}
	text := func(mode string) string {
		if mode == "allowlist" {
			return "\"allowlist\"\nallowed_hosts = [\"allowed.test\", \"*.wild.test\"]\n"
		}
		return "\"" + mode + "\"\n"
	}
	for _, start := range modes {
		for _, agent := range modes {
			for _, tests := range modes {
				sidecar := (len(start)+len(agent)+len(tests))%2 == 0 // half of them have one
				t.Run(start+","+agent+","+tests, func(t *testing.T) {
					t.Parallel()
					task := newTask(t, "task", "-- task.toml --\n[environment]\nnetwork_mode = "+text(start)+"healthcheck = {command = \"sh /probe >/tmp/start\", retries = 1}\n[agent]\nnetwork_mode = "+text(agent)+"[verifier]\nnetwork_mode = "+text(tests)+
						"-- environment/Dockerfile --\nFROM busybox\nCOPY probe /probe\nWORKDIR /app\n-- environment/probe --\n"+w.probe()+w.compose(sidecar)+
						"-- solution/solve.sh --\n#!/bin/sh\nsh /probe\n-- tests/test.sh --\n#!/bin/sh\nsh /probe\necho --\ncat /tmp/start\necho '{\"reward\": 1}' >/logs/verifier/reward.json\n")
					r := seatrialRun(t, task)
					expect(t, r, outcome{score: 1})
					if d := cmp.Diff(reached(agent, sidecar), said(t, r.text(t, "agent", "stdout.log"))); d != "" {
						t.Errorf("the agent reached (-want +got):\n%s", d)
					}
					now, before, _ := strings.Cut(r.text(t, "verifier", "test-stdout.txt"), "--\n")
					if d := cmp.Diff(reached(tests, sidecar), said(t, now)); d != "" {
						t.Errorf("the tests reached (-want +got):\n%s", d)
					}
					if d := cmp.Diff(reached(start, sidecar), said(t, before)); d != "" {
						t.Errorf("the health check reached (-want +got):\n%s", d)
					}
				})
			}
		}
	}
}

func TestAllowLists(t *testing.T) {
	t.Parallel()
	w := newOutside(t)
	say := func(want map[string]bool) func(*testing.T, *ran) {
		return func(t *testing.T, r *ran) {
			t.Helper()
			got := said(t, r.text(t, "agent", "stdout.log"))
			for name, yes := range want {
				if got[name] != yes {
					t.Errorf("%s: %t, want %t", name, got[name], yes)
				}
			}
		}
	}
	probing := "-- solution/solve.sh --\n" + w.probe() + "touch /app/ok\n"
	behave(t, []behaviour{
		{
			name: "what was refused is in the trial's folder", want: outcome{score: 1, warns: []string{"egress_refused"}},
			task: "-- task.toml --\n[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"allowed.test\"]\n" + w.compose(false) + probing,
			check: func(t *testing.T, r *ran) {
				log := r.text(t, "egress.jsonl")
				for _, want := range []string{`"from":"main"`, `"host":"other.test"`, `"host":"allowed.test"`, `"allowed":true`, `"host":"secret.tunnel.test"`} {
					if !strings.Contains(log, want) {
						t.Errorf("the log lacks %s:\n%s", want, log)
					}
				}
			},
		},
		{
			name: "an empty list allows nothing", want: outcome{score: 1}, check: say(map[string]bool{"allowed": false, "other": false, "address": false}),
			task: "-- task.toml --\n[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = []\n" + w.compose(false) + probing,
		},
		{
			name: "an address is reached through the proxy that commands are told of", want: outcome{score: 1}, check: say(map[string]bool{"address": true, "allowed": false, "other": false}),
			task: "-- task.toml --\n[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"" + w.ip + "/32\"]\n" + w.compose(false) + probing,
		},
		{
			name: "a separate verifier has the network of its own table", want: outcome{score: 1},
			task: "-- task.toml --\n[verifier]\n[verifier.environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"allowed.test\"]\n-- tests/Dockerfile --\nFROM busybox\nCOPY test.sh /tests/test.sh\n" +
				strings.Replace(w.compose(false), "environment/", "tests/", 1) + "-- tests/test.sh --\n" + w.probe() + "echo '{\"reward\": 1}' >/logs/verifier/reward.json\n",
			check: func(t *testing.T, r *ran) {
				if got := said(t, r.text(t, "verifier", "test-stdout.txt")); !got["allowed"] || got["other"] || got["address"] {
					t.Errorf("the tests reached %v", got)
				}
				if !strings.Contains(r.text(t, "egress-verifier.jsonl"), "other.test") {
					t.Error("what the tests tried is not in the trial's folder")
				}
			},
		},
		{
			name: "steps have networks of their own", args: []string{"--agent-cmd", "wget -T 4 -q -O - http://allowed.test:" + fmt.Sprint(w.named) + "/ || echo no; touch $SEATRIAL_STEP"}, want: outcome{score: 1},
			task: "-- task.toml --\n[[steps]]\nname = \"one\"\n[steps.agent]\nnetwork_mode = \"no-network\"\n[[steps]]\nname = \"two\"\n[steps.agent]\nnetwork_mode = \"public\"\n" + w.compose(false) + twoSteps,
			check: func(t *testing.T, r *ran) {
				if one, two := r.text(t, "steps", "one", "agent", "stdout.log"), r.text(t, "steps", "two", "agent", "stdout.log"); one != "no\n" || two != "yes" {
					t.Errorf("the steps' agents reached %q and %q", one, two)
				}
			},
		},
	})
	t.Run("an agent's own hosts are added to what the task allows it", func(t *testing.T) {
		t.Parallel()
		agent := newAgent(t, agentHead+"hosts = [\"other.test\"]\n[run]\ncommand = \"sh /probe; touch ok\"\n")
		r := seatrialRun(t, "--agent", agent, newTask(t, "task", "-- task.toml --\n[agent]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"allowed.test\"]\n-- environment/Dockerfile --\nFROM busybox\nCOPY probe /probe\nWORKDIR /app\n-- environment/probe --\n"+w.probe()+w.compose(false)))
		expect(t, r, outcome{score: 1})
		say(map[string]bool{"allowed": true, "other": true, "below": false, "address": false})(t, r)
	})
}

func TestAGatewayThatIsKilledEndsTheTrial(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, "--agent-cmd", "sleep 58", newTask(t, "task", "-- task.toml --\n[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"allowed.test\"]\n"))
	j.awaitPhase("agent", "58")
	for _, c := range containers(t, j.id) {
		if strings.HasSuffix(c.Names[0], "-seatrial-egress") {
			if err := shared.engine.ContainerKill(t.Context(), c.ID, "KILL"); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := j.end()
	clean(t, r.id)
	expect(t, r, outcome{code: "sidecar_failed", phase: "agent", says: []string{"seatrial-egress"}})
}
