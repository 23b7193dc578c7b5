package e2e_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// refused sees that a task does not start without a permission, and that the message names it.
func refused(t *testing.T, dir, permission string) {
	t.Helper()
	code, _, errs := seatrial(t, nil, "run", "--runs-dir", t.TempDir(), dir)
	if code != 2 || !strings.Contains(errs, "--allow "+permission) {
		t.Errorf("without permission: exit code %d\n%s", code, errs)
	}
}

func TestTheHostsNetworkTakesAPermission(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", `
-- environment/docker-compose.yaml --
services:
  main:
    network_mode: host
-- solution/solve.sh --
#!/bin/sh
ls /sys/class/net
# The engine's host has bridges, which a container of its own has not.
ls /sys/class/net | grep -q -e '^br-' -e '^docker' && touch /app/ok
`)
	refused(t, dir, "host-network")
	expect(t, seatrialRun(t, "--allow", "host-network", dir), outcome{score: 1})
}

func TestWhatIsExternalStays(t *testing.T) {
	t.Parallel()
	need(t)
	name := "e2e-external-" + strings.ToLower(rand.Text()[:8])
	if _, err := shared.engine.VolumeCreate(t.Context(), volume.CreateOptions{Name: name}); err != nil {
		t.Fatal(err)
	}
	net, err := shared.engine.NetworkCreate(t.Context(), name, network.CreateOptions{Driver: "bridge"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeExternal(t, name) })
	dir := newTask(t, "task", fmt.Sprintf(`
-- environment/docker-compose.yaml --
services:
  main:
    volumes: ["own:/own"]
    networks: [ours]
volumes: {own: {external: true, name: %[1]s}}
networks: {ours: {external: true, name: %[1]s}}
-- solution/solve.sh --
#!/bin/sh
touch /own/x && touch /app/ok
`, name))
	refused(t, dir, "outside-volumes")
	expect(t, seatrialRun(t, "--allow", "outside-volumes,outside-networks", dir), outcome{score: 1})
	if _, err := shared.engine.VolumeInspect(t.Context(), name); err != nil {
		t.Errorf("the user's own volume: %v", err)
	}
	if _, err := shared.engine.NetworkInspect(t.Context(), net.ID, network.InspectOptions{}); err != nil {
		t.Errorf("the user's own network: %v", err)
	}
}
