package task_test

import (
	"strings"
	"testing"

	"github.com/seatrial/seatrial/task"
)

func TestNames(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"a task name with both parts":             {"[task]\nname = \"org.x/A_b-1.c\"", true},
		"a task name without a slash":             {"[task]\nname = \"name\"", false},
		"a task name with two slashes":            {"[task]\nname = \"a/b/c\"", false},
		"a task name with dots in a row":          {"[task]\nname = \"a/b..c\"", false},
		"a task name that starts with a dash":     {"[task]\nname = \"a/-b\"", false},
		"a task table without a name":             {"[task]\ndescription = \"x\"", false},
		"a step name with blanks and dots inside": {"[[steps]]\nname = \"1. Read it\"", true},
		"a step name in another script":           {"[[steps]]\nname = \"шаг\"", true},
		"a step name that is empty":               {"[[steps]]\nname = \"\"", false},
		"a step name with a slash":                {"[[steps]]\nname = \"a/b\"", false},
		"a step name with a backslash":            {"[[steps]]\nname = 'a\\b'", false},
		"a step name that leads up":               {"[[steps]]\nname = \"..\"", false},
		"a step name that stays":                  {"[[steps]]\nname = \".\"", false},
		"a step name with a line break":           {"[[steps]]\nname = \"a\\nb\"", false},
		"a step name with NUL":                    {"[[steps]]\nname = \"a\\u0000\"", false},
		"a step name that is too long":            {"[[steps]]\nname = \"" + strings.Repeat("x", 256) + "\"", false},
		"steps that differ by capitals only":      {"[[steps]]\nname = \"ä\"\n[[steps]]\nname = \"Ä\"", false},
		"steps in inline tables":                  {"steps = [{name = \"a\"}, {name = \"b\"}]", true},
		"a case id":                               {"[metadata.eval]\ncase = \"a1._-\"", true},
		"a case id in capitals":                   {"[metadata.eval]\ncase = \"A\"", false},
		"a case id that is too long":              {"[metadata.eval]\ncase = \"" + strings.Repeat("a", 129) + "\"", false},
		"a topology of three":                     {"[environment.tpu]\ntype = \"v4\"\ntopology = \"2x2x16\"", true},
		"a topology of one":                       {"[environment.tpu]\ntype = \"v4\"\ntopology = \"2\"", false},
		"a topology with zero":                    {"[environment.tpu]\ntype = \"v4\"\ntopology = \"2x0\"", false},
		"an image by digest":                      {"[environment]\ndocker_image = \"a/b@sha256:" + strings.Repeat("0", 64) + "\"", true},
		"an image with a blank":                   {"[environment]\ndocker_image = \"a b\"", false},
		"an image that is empty is none":          {"[environment]\ndocker_image = \"\"", true},
		"a user with a group":                     {"[agent]\nuser = \"a:b\"", true},
		"a user by number":                        {"[agent]\nuser = 0", true},
		"a user number that is too large":         {"[agent]\nuser = 4294967295", false},
		"a user that is empty":                    {"[agent]\nuser = \"\"", false},
		"a variable with NUL":                     {"[environment.env]\nA = \"\\u0000\"", false},
		"a time without a zone":                   {"[metadata.fakes]\nnow = 2026-01-05T09:00:00", false},
		"a time with a blank and an offset":       {"[metadata.fakes]\nnow = 2026-01-05 09:00:00+02:00", true},
		"a contract version that is a float":      {"[metadata.eval]\nrewards_contract = 1.0", false},
		"a contract version of zero":              {"[metadata.eval]\nrewards_contract = 0", false},
		"a contract version nobody knows":         {"[metadata.eval]\nrewards_contract = 99", true},
		"an artifact that climbs":                 {"artifacts = [\"/a/../../b\"]", false},
		"an artifact with dots in its name":       {"artifacts = [\"/a..b\"]", true},
		"a destination that is the manifest":      {"artifacts = [{source = \"/a\", destination = \"./manifest.json\"}]", false},
		"a destination with a backslash":          {"artifacts = [{source = \"/a\", destination = 'a\\b'}]", false},
		"a dotted key for a known one":            {"agent.timeout_sec = 5", true},
		"a dotted key for an unknown one":         {"agent.timeout = 5", false},
		"an unknown table below metadata is free": {"[metadata.x.y]\nz = [1, 'a', {b = nan}]", true},
		"a shared verifier with an environment":   {"[verifier]\nenvironment_mode = \"shared\"\n[verifier.environment]", false},
		"a minimum that is not finite":            {"[[steps]]\nname = \"a\"\nmin_reward = nan", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := task.Parse("task.toml", []byte(tc.text+"\n"), task.Options{})
			if (err == nil) != tc.ok {
				t.Errorf("got %v, want it taken: %v", err, tc.ok)
			}
		})
	}
}
