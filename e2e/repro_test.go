package e2e_test

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
)

// Reproducing and grading again are told as one story: what was recorded, what has changed since, and what comes of it then.

func randomID() string { return strings.ToLower(rand.Text()[:10]) }

// again reproduces, or regrades, the only trial of a run, and reads the new run's record, if there is one.
func again(t *testing.T, r *ran, verb string, args ...string) *ran {
	t.Helper()
	return againWith(t, nil, r, verb, args...)
}

func againWith(t *testing.T, env []string, r *ran, verb string, args ...string) *ran {
	t.Helper()
	id, runs := "again-"+randomID(), t.TempDir()
	out := &ran{id: id, dir: filepath.Join(runs, id)}
	out.code, out.stdout, out.stderr = seatrial(t, env, append([]string{verb, r.trialDir(t), "--runs-dir", runs, "--run-id", id}, args...)...)
	if data, err := os.ReadFile(filepath.Join(out.dir, "run.json")); err == nil {
		if err := json.Unmarshal(data, &out.record); err != nil {
			t.Fatal(err)
		}
		out.record.check(t)
	}
	clean(t, id)
	return out
}

// scored sees that a run came to a score, and that something was said.
func (r *ran) scored(t *testing.T, score float64, said ...string) {
	t.Helper()
	c := r.only(t)
	if c.Score == nil || *c.Score != score {
		t.Errorf("case %+v, exit code %d\n%s%s", c, r.code, r.stdout, r.stderr)
	}
	r.says(t, said...)
}

func (r *ran) says(t *testing.T, said ...string) {
	t.Helper()
	for _, s := range said {
		if !strings.Contains(r.stdout+r.stderr, s) {
			t.Errorf("it does not say %q (exit code %d):\n%s%s", s, r.code, r.stdout, r.stderr)
		}
	}
}

const allHeld = "all that is recorded of what decided it is held the same"

func TestATaskThatWasEditedSinceIsReproducedAsItWas(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "")
	r := seatrialRun(t, dir, "--capture")
	write(t, filepath.Join(dir, "tests/test.sh"), []byte("#!/bin/sh\necho '{\"reward\": 0.25}' >/logs/verifier/reward.json\n"))
	write(t, filepath.Join(dir, "environment/Dockerfile"), []byte("FROM not-there:1\n"))
	again(t, r, "repro").scored(t, 1, "has been edited since", allHeld, "as recorded (score 1): 1 of 1")
	again(t, r, "regrade").scored(t, 1, "as recorded (score 1): 1 of 1")
	again(t, r, "regrade", "--tests", "today").scored(t, 0.25, "otherwise: 1 of 1 came to score 0.25")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again(t, r, "repro").scored(t, 1, "not at "+dir+" any more", allHeld)
}

func TestWithoutACopyAnEditedTaskIsADifference(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "")
	r := seatrialRun(t, dir, "--no-snapshot")
	if _, err := os.Stat(filepath.Join(r.dir, "tasks")); err == nil {
		t.Error("a copy is there")
	}
	again(t, r, "repro").scored(t, 1, allHeld)
	write(t, filepath.Join(dir, "tests/test.sh"), []byte("#!/bin/sh\necho '{\"reward\": 0.25}' >/logs/verifier/reward.json\n"))
	if stopped := again(t, r, "repro"); stopped.code != 2 || stopped.record.RunID != "" {
		t.Errorf("exit code %d, run %q", stopped.code, stopped.record.RunID)
	} else {
		stopped.says(t, "differs: the task's files", "--anyway")
	}
	again(t, r, "repro", "--anyway").scored(t, 0.25, "otherwise: 1 of 1 came to score 0.25")
}

// tagged gives an image that holds a file /is with a text another name, whatever that was before.
func tagged(t *testing.T, ref, text string) (id string) {
	t.Helper()
	created, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sh", "-c", "echo " + text + " >/is"}}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer removeContainer(t, created.ID)
	if err := shared.engine.ContainerStart(t.Context(), created.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	ended, failed := shared.engine.ContainerWait(t.Context(), created.ID, container.WaitConditionNotRunning)
	select {
	case <-ended:
	case err := <-failed:
		t.Fatal(err)
	}
	made, err := shared.engine.ContainerCommit(t.Context(), created.ID, container.CommitOptions{Reference: ref})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeImage(t, made.ID) })
	return made.ID
}

// removeImage removes an image with all its names, if it is there.
func removeImage(t *testing.T, ref string) {
	t.Helper()
	_, _ = shared.engine.ImageRemove(t.Context(), ref, image.RemoveOptions{Force: true, PruneChildren: true})
}

const isOld = `
-- tests/test.sh --
#!/bin/sh
if [ "$(cat /is)" = old ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`

func TestAMovedTagIsNeverFollowed(t *testing.T) {
	t.Parallel()
	ref := "seatrial-e2e/moved-" + randomID() + ":1"
	tagged(t, ref, "old")
	r := seatrialRun(t, newTask(t, "task", "-- task.toml --\nschema_version = \"1.4\"\n[environment]\ndocker_image = \""+ref+"\"\n-- !environment/Dockerfile --\n"+isOld))
	r.scored(t, 1)
	tagged(t, ref, "new")
	again(t, r, "repro").scored(t, 1, ref, "is another one today", allHeld)
}

func TestAnImageThatIsGone(t *testing.T) {
	t.Parallel()
	ref := "seatrial-e2e/base-" + randomID() + ":1"
	base := tagged(t, ref, "old")
	dir := newTask(t, "task-"+randomID(), "-- environment/Dockerfile --\nFROM "+ref+"\nRUN echo built >/built\nWORKDIR /app\n"+isOld)
	r := seatrialRun(t, dir)
	r.scored(t, 1)
	built := r.trial(t).Images["main"]

	// The image is there: it does not matter what has become of its base.
	tagged(t, ref, "new")
	again(t, r, "repro").scored(t, 1, allHeld)

	// It is gone, and its base is there under no name.
	removeImage(t, built)
	stopped := again(t, r, "repro")
	if stopped.code != 2 || stopped.record.RunID != "" {
		t.Errorf("exit code %d, run %q\n%s", stopped.code, stopped.record.RunID, stopped.stderr)
	}
	stopped.says(t, "built again from the recorded files", "differs: the image of main: was "+built)
	anyway := again(t, r, "repro", "--anyway")
	anyway.scored(t, 1, "not everything was held the same")

	// Its base is gone, too, and another has its name.
	for _, id := range []string{anyway.trial(t).Images["main"], "seatrial/held:" + strings.TrimPrefix(base, "sha256:")[:32], base} {
		removeImage(t, id)
	}
	stopped = again(t, r, "repro")
	if stopped.code != 2 {
		t.Errorf("exit code %d", stopped.code)
	}
	stopped.says(t, "is gone as it was", "differs: the image of main")
	another := again(t, r, "repro", "--anyway")
	another.scored(t, 0)
	removeImage(t, another.trial(t).Images["main"])

	// There is nothing to make it of.
	removeImage(t, ref)
	stopped = again(t, r, "repro", "--anyway")
	if stopped.code == 0 || stopped.record.RunID != "" {
		t.Errorf("exit code %d", stopped.code)
	}
	stopped.says(t, "could not be had again", ref)
}

func TestAFlakyVerdictIsTold(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task", "-- tests/test.sh --\n#!/bin/sh\nn=$(head -c1 /dev/urandom | od -An -tu1)\nif [ $((n % 3)) = 0 ]; then r=0; else r=1; fi\necho \"{\\\"reward\\\": $r}\" >/logs/verifier/reward.json\n")
	r := seatrialRun(t, dir)
	many := again(t, r, "repro", "-k", "16", "-n", "4")
	many.says(t, "otherwise: ", "of 16 came to score", "task: the work is the same each time, and the verdict is not")
}

func TestVariablesAreAskedForAndCompared(t *testing.T) {
	t.Parallel()
	const agent = `[ "${#E2E_TOKEN}" = 10 ] && touch /app/ok; true`
	r := seatrialRunWith(t, []string{"E2E_TOKEN=abcdefgh-1"}, newTask(t, "task", ""), "--agent-cmd", agent, "--agent-env", "E2E_TOKEN", "--capture")
	r.scored(t, 1)
	everyFile(t, r.dir, func(name string, data []byte) {
		if strings.Contains(string(data), "abcdefgh-1") {
			t.Errorf("%s holds the value", name)
		}
	})
	missing := again(t, r, "repro")
	if missing.code != 2 {
		t.Errorf("exit code %d", missing.code)
	}
	missing.says(t, "--agent-env E2E_TOKEN=VALUE")
	again(t, r, "regrade").scored(t, 1, allHeld)
	other := again(t, r, "repro", "--agent-env", "E2E_TOKEN=abcdefgh-22")
	if other.code != 2 {
		t.Errorf("exit code %d", other.code)
	}
	other.says(t, "differs: the variable E2E_TOKEN")
	again(t, r, "repro", "--agent-env", "E2E_TOKEN=abcdefgh-1").scored(t, 1, allHeld)
	againWith(t, []string{"E2E_TOKEN=abcdefgh-1"}, r, "repro").scored(t, 1, allHeld)
}

// endState is a task whose agent changes its container in every way, and whose tests look at all of it.
const endState = `
-- environment/Dockerfile --
FROM busybox
RUN mkdir -p /app/dir/below /app/gone /app/turned && touch /app/file /app/gone/x /app/turned/y && echo kept >/app/kept
VOLUME /data
WORKDIR /app
-- solution/solve.sh --
#!/bin/sh
set -e
rm -r gone file
mkdir file && echo in >file/in
rm -r turned && echo now a file >turned
ln -s /app/kept link
echo mine >mine && chown 1234:99 mine && chmod 4750 mine && ln mine twin
echo volume >/data/v
head -c 3000000 /dev/urandom >big && sha256sum big >big.sum
touch ok
-- tests/test.sh --
#!/bin/sh
r=1
say() { echo "$*"; r=0; }
[ -e /app/gone ] && say gone is there
[ "$(cat /app/file/in)" = in ] || say no folder in the place of a file
[ -f /app/turned ] || say no file in the place of a folder
[ "$(readlink /app/link)" = /app/kept ] || say no link
[ /app/mine -ef /app/twin ] || say two files
[ "$(stat -c %u:%g:%a /app/mine)" = 1234:99:4750 ] || say other owner or mode
[ "$(cat /data/v)" = volume ] || say nothing in the volume
cd /app && sha256sum -c big.sum || say another content
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`

func TestAnEndStateIsPutBackWhole(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, newTask(t, "task", endState), "--capture")
	r.scored(t, 1)
	g := again(t, r, "regrade", "-k", "2")
	g.says(t, "as recorded (score 1): 2 of 2")
	if t.Failed() {
		everyFile(t, g.dir, func(name string, data []byte) {
			if strings.HasSuffix(name, "test-stdout.txt") {
				t.Logf("%s: %s", name, data)
			}
		})
	}
	without := seatrialRun(t, newTask(t, "task", ""))
	if g := again(t, without, "regrade"); g.code != 2 {
		t.Errorf("exit code %d", g.code)
	} else {
		g.says(t, "no end state", "--capture")
	}
}

func TestAnEndStateThatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, newTask(t, "task", ""), "--capture")
	file := filepath.Join(r.trialDir(t), "end-state.tar.zst")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, append(data, 0))
	if g := again(t, r, "regrade"); g.code != 2 {
		t.Errorf("exit code %d", g.code)
	} else {
		g.says(t, "its content has changed")
	}
}

func TestRegradingWithASeparateVerifier(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "separate"), "--capture")
	again(t, r, "regrade").says(t, "as recorded (score 1): 1 of 1", allHeld)
	again(t, r, "repro").says(t, "as recorded (score 1): 1 of 1", allHeld)
}

func TestRegradingWithFakes(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, demo(t, "refund"), "--capture")
	was := r.only(t)
	if was.Score == nil {
		t.Fatalf("case %+v", was)
	}
	g := again(t, r, "regrade")
	g.scored(t, *was.Score, "as recorded")
}

func TestReproducingFromAStepOn(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, newTask(t, "task", "-- task.toml --\nschema_version = \"1.4\"\n"+declared+twoSteps), "--capture")
	r.scored(t, 1)
	g := again(t, r, "repro", "--at", "two")
	g.scored(t, 1, allHeld)
	for step, ran := range map[string]bool{"one": false, "two": true} {
		_, err := os.Stat(filepath.Join(g.trialDir(t), "steps", step, "agent", "stdout.log"))
		if (err == nil) != ran {
			t.Errorf("the agent's output in step %s: %v", step, err)
		}
	}
	if g := again(t, r, "repro", "--at", "tow"); g.code != 2 {
		t.Errorf("exit code %d", g.code)
	} else {
		g.says(t, "no such step", "one, two")
	}
	again(t, r, "regrade").scored(t, 1)
}

func TestTrialsOfOneTaskShareACopy(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, newTask(t, "task", ""), "-k", "5", "-n", "3")
	copies, err := filepath.Glob(filepath.Join(r.dir, "tasks", "*", "*"))
	if err != nil || len(copies) != 1 {
		t.Errorf("copies %v, error %v", copies, err)
	}
}

func TestABundleReproducesFromAnEmptyEngine(t *testing.T) {
	t.Parallel()
	dir := newTask(t, "task-"+randomID(), "-- environment/Dockerfile --\nFROM busybox\nRUN echo "+randomID()+" >/unlike-any-other\nWORKDIR /app\n")
	r := seatrialRun(t, dir, "--capture")
	r.scored(t, 1)
	file := filepath.Join(t.TempDir(), "trial.tar.zst")
	if code, out, errs := seatrial(t, nil, "bundle", r.trialDir(t), file, "--images"); code != 0 {
		t.Fatalf("bundle: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := seatrial(t, nil, "bundle", r.trialDir(t), file); code != 2 || !strings.Contains(errs, "--replace") {
		t.Errorf("a second bundle in its place: exit code %d\n%s", code, errs)
	}
	id := r.trial(t).Images["main"]
	removeImage(t, id)
	for _, gone := range []string{dir, r.dir} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range []string{"repro", "regrade"} {
		runs := t.TempDir()
		code, out, errs := seatrial(t, nil, verb, file, "--runs-dir", runs, "--run-id", "x"+randomID())
		if code != 0 || !strings.Contains(out, "as recorded (score 1): 1 of 1") || !strings.Contains(errs, allHeld) {
			t.Errorf("%s: exit code %d\n%s%s", verb, code, out, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "seatrial-bundle-*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
	removeImage(t, id)
}
