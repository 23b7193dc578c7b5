package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheActiveContextOfDockerIsUsed(t *testing.T) {
	t.Parallel()
	need(t)
	config := t.TempDir()
	host := shared.engine.DaemonHost()
	sum := sha256.Sum256([]byte("live"))
	write(t, filepath.Join(config, "config.json"), []byte(`{"currentContext": "live"}`))
	write(t, filepath.Join(config, "contexts", "meta", hex.EncodeToString(sum[:]), "meta.json"),
		fmt.Appendf(nil, `{"Name": "live", "Metadata": {}, "Endpoints": {"docker": {"Host": %q, "SkipTLSVerify": false}}}`, host))
	j := begin(t, []string{"DOCKER_HOST=", "DOCKER_CONTEXT=", "DOCKER_CONFIG=" + config}, demo(t, "hello"))
	r := j.end()
	expect(t, r, outcome{score: 1})
	if got := r.record.Environment.Host; got != host {
		t.Errorf("the engine is %q, want %q", got, host)
	}
	clean(t, r.id)
	code, _, errs := seatrial(t, []string{"DOCKER_HOST=", "DOCKER_CONTEXT=missing", "DOCKER_CONFIG=" + config}, "run", "--runs-dir", t.TempDir(), demo(t, "hello"))
	if code != 4 && code != 2 || !strings.Contains(errs, "missing") {
		t.Errorf("a context that is not there: exit code %d\n%s", code, errs)
	}
	code, _, errs = seatrial(t, []string{"DOCKER_HOST=unix:///nowhere.sock", "DOCKER_CONFIG=" + config}, "run", "--runs-dir", t.TempDir(), demo(t, "hello"))
	if code != 4 || !strings.Contains(errs, "/nowhere.sock") || !strings.Contains(errs, "DOCKER_HOST") {
		t.Errorf("DOCKER_HOST goes before the context: exit code %d\n%s", code, errs)
	}
}

func TestARegistryThatNeverAnswersHoldsUpOnlyItsTask(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // it accepts, by its backlog, and never answers
	dir := t.TempDir()
	makeTask(t, dir+"/a", fmt.Sprintf("-- task.toml --\n[environment]\nbuild_timeout_sec = 3\ndocker_image = \"%s/stuck:1\"\n-- !environment/Dockerfile --\n-- environment/x --\n", l.Addr()))
	makeTask(t, dir+"/b", "")
	started := time.Now()
	r := seatrialRun(t, dir)
	if len(r.record.Cases) != 2 || r.code != 3 {
		t.Fatalf("exit code %d, cases %s\n%s", r.code, describe(r), r.stderr)
	}
	a, b := r.record.Cases[0], r.record.Cases[1]
	if a.Error == nil || a.Error.Phase != "setup" || a.Error.Step != "build" || a.Error.Code != "setup_timeout" && a.Error.Code != "setup_failed" {
		t.Errorf("the stuck task: %+v", a.Error)
	}
	if b.Score == nil || *b.Score != 1 {
		t.Errorf("the other task: %+v", b.Error)
	}
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestHostFolders(t *testing.T) {
	t.Parallel()
	need(t)
	bind := `
-- environment/docker-compose.yaml --
services:
  main:
    volumes: ["./data:/data:ro"]
-- environment/data/x --
hello
-- solution/solve.sh --
#!/bin/sh
touch /data/y 2>/dev/null && exit 1
grep -q hello /data/x && touch /app/ok
`
	t.Run("a folder of the task is there in a container, or the run says that the engine cannot see it", func(t *testing.T) {
		t.Parallel()
		r := seatrialRun(t, newTask(t, "task", bind))
		c := r.only(t)
		if seen := c.Score != nil && *c.Score == 1; !seen && (c.Error == nil || c.Error.Phase != "setup") {
			t.Errorf("score %v, error %+v", c.Score, c.Error)
		}
		t.Log(describe(r))
	})
}
