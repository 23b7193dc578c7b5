package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

// probing makes a task with files below tests/probes.
func probing(t *testing.T, config string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"task.toml": config, "instruction.md": "Do it.\n", "environment/Dockerfile": "FROM busybox\n", "tests/test.sh": "#!/bin/sh\n"}
	for name, text := range files {
		all["tests/probes/"+name] = text
	}
	if strings.Contains(config, "steps") {
		all["steps/one/instruction.md"], all["steps/two/instruction.md"] = "One.\n", "Two.\n"
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const stepped = "[[steps]]\nname = \"one\"\n[[steps]]\nname = \"two\"\n"

func TestProbesAreRead(t *testing.T) {
	t.Parallel()
	dir := probing(t, "", map[string]string{"empty/probe.toml": `expect = "fail"`, "empty/solve.sh": "#!/bin/sh\n",
		"b/probe.toml": "expect = \"variation\"\ndescription = \"sorted otherwise\"\n", "b/solve.sh": "#!/bin/sh\n"})
	got, err := task.Load(dir, task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []task.Probe{
		{Name: "b", Dir: "tests/probes/b", Expect: task.ExpectVariation, Description: "sorted otherwise", Steps: map[string]string{"": "tests/probes/b"}},
		{Name: "empty", Dir: "tests/probes/empty", Expect: task.ExpectFail, Steps: map[string]string{"": "tests/probes/empty"}},
	}
	if d := cmp.Diff(want, got.Probes); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	got, err = task.Load(probing(t, stepped, map[string]string{"p/probe.toml": `expect = "shortcut"`, "p/two/solve.sh": "#!/bin/sh\n"}), task.Options{})
	if err != nil || len(got.Probes) != 1 || got.Probes[0].Steps["two"] != "tests/probes/p/two" || len(got.Probes[0].Steps) != 1 || got.Probes[0].Expect.Passes() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatIsWrongWithProbes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, config string
		files        map[string]string
		want         string
	}{
		{"no probe.toml", "", map[string]string{"p/solve.sh": ""}, "p/probe.toml: the file is missing"},
		{"no script", "", map[string]string{"p/probe.toml": `expect = "pass"`}, "p/solve.sh: the probe's script is missing"},
		{"an unknown verdict", "", map[string]string{"p/probe.toml": `expect = "maybe"`, "p/solve.sh": ""}, `probe.toml:1:10: expect = "maybe"`},
		{"no verdict", "", map[string]string{"p/probe.toml": ``, "p/solve.sh": ""}, "expect"},
		{"a misspelt key", "", map[string]string{"p/probe.toml": "expect = \"pass\"\ndescripton = \"x\"", "p/solve.sh": ""}, "did you mean description?"},
		{"no TOML", "", map[string]string{"p/probe.toml": "expect", "p/solve.sh": ""}, "probe.toml:1"},
		{"a file among the probes", "", map[string]string{"README": "x"}, "must be a folder"},
		{"a name with a space", "", map[string]string{"a b/probe.toml": ""}, "no name for a probe"},
		{"steps without scripts", stepped, map[string]string{"p/probe.toml": `expect = "pass"`, "p/solve.sh": ""}, "the probe does nothing"},
		{"a folder of no step", stepped, map[string]string{"p/probe.toml": `expect = "pass"`, "p/one/solve.sh": "", "p/three/solve.sh": ""}, "of no step"},
		{"a bar above what scores can be", "[metadata.eval]\npass_bar = 2", nil, "metadata.eval.pass_bar = 2: must be above 0"},
		{"a reference below the pass", "[metadata.eval]\npass_bar = 0.8\nreference_bar = 0.5", nil, "at least the pass_bar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := task.Load(probing(t, c.config, c.files), task.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	for config, want := range map[string][2]float64{
		"": {1, 1}, "[metadata.eval]\npass_bar = 0.7": {0.7, 1}, "[metadata.eval]\npass_bar = 0.7\nreference_bar = 0.9": {0.7, 0.9}, "[metadata.eval]\nrewards = \"harbor\"\npass_bar = 7": {7, 7},
	} {
		got, err := task.Load(probing(t, config, nil), task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if pass, reference := got.Config.Eval.Bars(); pass != want[0] || reference != want[1] {
			t.Errorf("%s: %v, %v", config, pass, reference)
		}
	}
}

// FuzzParseProbe: whatever a probe.toml holds, it is read or refused with a place.
func FuzzParseProbe(f *testing.F) {
	f.Add([]byte("expect = \"pass\"\ndescription = \"x\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := task.ParseProbe("probe.toml", data)
		if err == nil && p.Expect == "" {
			t.Error("no verdict and no error")
		}
	})
}
