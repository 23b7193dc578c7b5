package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesOfAnyKind(t *testing.T) {
	t.Parallel()
	odd := []string{"My Task", "my task", "ÜBER-task", "-x", "__a", "1.2.3", strings.Repeat("long", 50), "it's $HOME", "c:d", "日本"}
	dir := filepath.Join(t.TempDir(), "a:b with 'quotes' and $dollars")
	for _, name := range odd {
		makeTask(t, filepath.Join(dir, name), "")
	}
	r := seatrialRun(t, dir)
	var got []string
	trials := map[string]bool{}
	for _, c := range r.record.Cases {
		got = append(got, c.Task.Name)
		if c.Score == nil || *c.Score != 1 {
			t.Errorf("%s: %+v", c.ID, c.Error)
		}
		if c.LegacyID != c.Task.Name {
			t.Errorf("legacy id %q of task %q", c.LegacyID, c.Task.Name)
		}
		trials[strings.ToLower(c.Artifacts.Trial)] = true
		if base := filepath.Base(c.Artifacts.Trial); len(base) > 60 || strings.ContainsAny(base, " $':") {
			t.Errorf("trial folder %q", base)
		}
	}
	slices.Sort(odd)
	slices.Sort(got)
	if d := cmp.Diff(odd, got); d != "" || r.code != 0 {
		t.Errorf("exit code %d\n%s\n%s", r.code, d, r.stderr)
	}
	if len(trials) != len(odd) {
		t.Errorf("%d folders for %d trials", len(trials), len(odd))
	}
}

func TestTheFolderForRunsMayHaveAnyName(t *testing.T) {
	t.Parallel()
	runs := filepath.Join(t.TempDir(), "a:b ü $HOME 'x'", "deep")
	code, _, stderr := seatrial(t, nil, "run", "--runs-dir", runs, "--run-id", "Own.ID_1", demo(t, "hello"))
	var rec runRecord
	readJSON(t, filepath.Join(runs, "Own.ID_1", "run.json"), &rec)
	if code != 0 || rec.RunID != "Own.ID_1" {
		t.Errorf("exit code %d, run %q\n%s", code, rec.RunID, stderr)
	}
	clean(t, rec.RunID)
}

// fixed is a stack that names everything that must not be named the same twice.
const fixed = `
-- environment/docker-compose.yaml --
name: fixed-project
services:
  main:
    container_name: seatrial-e2e-fixed
    networks: [back]
    volumes: ["data:/data"]
  web:
    image: busybox
    container_name: seatrial-e2e-fixed-web
    command: ["sh", "-c", "mkdir /www; echo hello >/www/x; exec httpd -f -p 80 -h /www"]
    ports: ["18080:80"]
    networks: {back: {aliases: [shop]}}
    healthcheck: {test: "wget -q -O /dev/null http://127.0.0.1/x", interval: 300ms}
networks: {back: {name: seatrial-e2e-fixed-net}}
volumes: {data: {name: seatrial-e2e-fixed-data}}
-- solution/solve.sh --
#!/bin/sh
[ -z "$(ls /data)" ] || exit 1
touch /data/mine
sleep 2
wget -q -O - http://web/x && wget -q -O - http://shop/x && touch /app/ok
`

func TestFixedNamesDoNotCollide(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", fixed)
	a, b := begin(t, nil, dir), begin(t, nil, dir)
	for _, j := range []*job{a, b} {
		r := j.end()
		expect(t, r, outcome{score: 1})
		clean(t, r.id)
		if t.Failed() {
			t.Log(r.stderr, describe(r))
		}
	}
}

func TestRunsThatBeginTogetherHaveFoldersOfTheirOwn(t *testing.T) {
	t.Parallel()
	need(t)
	runs := filepath.Join(t.TempDir(), "runs")
	shared.slots <- struct{}{}
	defer func() { <-shared.slots }()
	done := make(chan int)
	const n = 3
	for range n {
		go func() {
			code, _, _ := seatrial(t, nil, "run", "--runs-dir", runs, demo(t, "hello"))
			done <- code
		}()
	}
	for range n {
		if code := <-done; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	dirs, err := os.ReadDir(runs)
	if err != nil || len(dirs) != n {
		t.Errorf("%d folders for %d runs (%v)", len(dirs), n, err)
	}
	for _, d := range dirs {
		var rec runRecord
		readJSON(t, filepath.Join(runs, d.Name(), "run.json"), &rec)
		if len(rec.Cases) != 1 || rec.RunID != d.Name() {
			t.Errorf("run %s in folder %s has %d cases", rec.RunID, d.Name(), len(rec.Cases))
		}
		clean(t, rec.RunID)
	}
}
