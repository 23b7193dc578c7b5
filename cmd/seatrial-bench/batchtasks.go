package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// batchTasks writes count tasks of as many images into a folder below dir, every fifth with a sidecar, and returns the folder.
func batchTasks(dir string, count int) (string, error) {
	root := filepath.Join(dir, "batch-tasks")
	for i := range count {
		name := fmt.Sprintf("task-%02d", i)
		files := map[string]string{
			"task.toml": "schema_version = \"1.4\"\n[task]\nname = \"bench/" + name + "\"\n[agent]\ntimeout_sec = 120.0\n[verifier]\ntimeout_sec = 120.0\n" +
				"[environment]\nbuild_timeout_sec = 300.0\ncpus = 1\nmemory_mb = 128\nworkdir = \"/app\"\n",
			"instruction.md":         "Write `done` into /app/out.\n",
			"environment/Dockerfile": "FROM busybox\nLABEL bench.task=" + name + "\nRUN mkdir -p /app && echo " + name + " >/app/name\nWORKDIR /app\n",
			"solution/solve.sh":      "#!/bin/sh\necho done >/app/out\n",
			"tests/test.sh":          "#!/bin/sh\n[ \"$(cat /app/out)\" = done ] && [ \"$(cat /app/name)\" = " + name + " ] && r=1 || r=0\necho $r >/logs/verifier/reward.txt\n",
		}
		if withSidecar(i) {
			files["environment/docker-compose.yaml"] = "services:\n  main: {}\n  beside:\n    image: busybox\n    command: [\"sleep\", \"600\"]\n"
		}
		for path, text := range files {
			to := filepath.Join(root, name, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return "", fmt.Errorf("a task: %w", err)
			}
			if err := os.WriteFile(to, []byte(text), 0o755); err != nil { //nolint:gosec // scripts that the containers run
				return "", fmt.Errorf("a task: %w", err)
			}
		}
	}
	return root, nil
}

// withSidecar says which of the tasks have one.
func withSidecar(i int) bool { return i%5 == 4 }
