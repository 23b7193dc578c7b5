package e2e_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// hostService listens on every address of this machine and returns its port.
func hostService(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("reached\n"))
			_ = c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// hostAddresses are this machine's own IPv4 addresses, the engine's bridges among them.
func hostAddresses(t *testing.T) []string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			out = append(out, ip.IP.String())
		}
	}
	return out
}

// probe is a solution that tries every way out and writes what answered to /logs/artifacts/reached.
func probe(t *testing.T, port int) string {
	t.Helper()
	return fmt.Sprintf(`
-- solution/solve.sh --
#!/bin/sh
out=/logs/artifacts/reached
: >$out
ip route >/logs/artifacts/routes
gateways=$(ip route | sed -n 's/.*via \([0-9.]*\).*/\1/p')
# The first address of every network that the container is in is the engine's, if it has one there.
bridges=$(ip -4 addr | sed -n 's/.*inet \([0-9.]*\)\.[0-9]*\/.*/\1.1/p')
for a in $gateways $bridges %s; do
	echo | timeout 2 nc -w 1 $a %d 2>/dev/null | grep -q reached && echo host $a >>$out
done
for a in 1.1.1.1 8.8.8.8; do
	timeout 2 nc -w 1 $a 53 </dev/null >/dev/null 2>&1 && echo public $a >>$out
done
timeout 4 nslookup example.com >/tmp/lookup 2>&1 && echo name >>$out
cat /tmp/lookup
timeout 3 wget -q -O - http://web/x 2>/dev/null | grep -q hello && echo sidecar >>$out
touch /app/ok
`, strings.Join(hostAddresses(t), " "), port)
}

const web = `
-- environment/docker-compose.yaml --
services:
  main: {}
  web:
    image: busybox
    command: ["sh", "-c", "mkdir /www; echo hello >/www/x; exec httpd -f -p 80 -h /www"]
    healthcheck: {test: "wget -q -O /dev/null http://127.0.0.1/x", interval: 300ms}
`

const noNetwork = "\n-- task.toml --\n[environment]\nnetwork_mode = \"no-network\"\n"

func TestWaysOut(t *testing.T) {
	t.Parallel()
	port := hostService(t)
	reached := func(want ...string) func(*testing.T, *ran) {
		return func(t *testing.T, r *ran) {
			t.Helper()
			got := r.text(t, "artifacts", "reached")
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("not reached: %s (routes: %s)", w, r.text(t, "artifacts", "routes"))
				}
			}
			if len(want) == 0 && got != "" || len(want) == 1 && want[0] == "sidecar" && got != "sidecar\n" {
				t.Errorf("reached although there is no network:\n%s", got)
			}
		}
	}
	list := []behaviour{
		{name: "a lone container without a network reaches nothing", task: probe(t, port) + noNetwork, want: outcome{score: 1}, check: reached()},
		{name: "a stack without a network reaches its sidecar and nothing else", task: probe(t, port) + noNetwork + web, want: outcome{score: 1}, check: reached("sidecar")},
		{
			name: "a sidecar on a network of its own making is no way out", want: outcome{score: 1}, check: reached("sidecar"),
			task: probe(t, port) + noNetwork + strings.Replace(web, "main: {}", "main: {networks: [out, in]}", 1) + "    networks: [in]\nnetworks: {out: {}, in: {}}\n",
		},
		{
			name: "the old spelling of no network holds for stacks", want: outcome{score: 1}, check: reached("sidecar"),
			task: probe(t, port) + web + "\n-- task.toml --\n[environment]\nallow_internet = false\n",
		},
	}
	if sameHost(t) {
		list = append(list,
			behaviour{name: "a lone container with a network reaches the host, so that the others prove something", task: probe(t, port), want: outcome{score: 1}, check: reached("host")},
			behaviour{name: "a stack with a network reaches the host and its sidecar", task: probe(t, port) + web, want: outcome{score: 1}, check: reached("host", "sidecar")})
	}
	behave(t, list)
}

// sameHost says whether containers of the engine are on this machine's network.
func sameHost(t *testing.T) bool {
	t.Helper()
	need(t)
	return strings.HasPrefix(shared.engine.DaemonHost(), "unix://")
}

func TestNetworksThatCannotBeEnforcedAreRefused(t *testing.T) {
	t.Parallel()
	const listed, compose = "-- task.toml --\n[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"example.com\"]\n", "-- environment/docker-compose.yaml --\nservices:\n"
	for task, want := range map[string]string{
		listed + compose + "  main: {networks: [a, b]}\nnetworks: {a: {}, b: {}}\n":                                                      "several networks",
		listed + compose + "  main: {networks: [seatrial-outside]}\nnetworks: {seatrial-outside: {}}\n":                                  "seatrial-outside",
		listed + compose + "  main: {}\n  seatrial-egress: {image: busybox}\n":                                                           "seatrial-egress",
		"-- task.toml --\n[agent]\nnetwork_mode = \"no-network\"\n" + compose + "  main: {networks: [a, b]}\nnetworks: {a: {}, b: {}}\n": "several networks",
	} {
		j := begin(t, nil, newTask(t, "task", task))
		if r := j.end(); r.code != 2 || len(r.record.Cases) != 0 || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "task.toml") {
			t.Errorf("exit code %d, want 2 before anything starts, and %q\n%s", r.code, want, r.stderr)
		}
		clean(t, j.id)
	}
}
