package orchestrator

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// ownFolders refuses mounts of the task where the tool empties folders and puts files: what is bound there would be emptied too.
func (p *Plan) ownFolders() error {
	reserved := []string{"/tests", "/solution", "/logs/verifier", ownDir, shim.Dir, sidecar.ToolsDir}
	for _, m := range sidecar.Find(p.Spec, stack.Main).Mounts {
		taken := slices.ContainsFunc(reserved, func(dir string) bool { return m.Target == dir || strings.HasPrefix(m.Target, dir+"/") })
		logs := strings.HasPrefix(m.Target, "/logs/") && m.Type == stack.MountTmpfs
		if m.Type != stack.MountLogs && (taken || logs) {
			return &UnsupportedError{File: filepath.Join(p.Task.Dir, "environment", "docker-compose.yaml"), Key: "services.main.volumes",
				What: m.Target + " is a folder of seatrial's own, and nothing can be mounted there"}
		}
	}
	return nil
}
