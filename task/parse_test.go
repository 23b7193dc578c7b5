package task_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func parse(t *testing.T, text string) *task.Config {
	t.Helper()
	c, _, err := task.Parse("task.toml", []byte(text), task.Options{})
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return c
}

func TestTimeLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		written string
		want    time.Duration // 0 means an error
	}{
		"a float":                           {"1.5", 1500 * time.Millisecond},
		"a whole number":                    {"600", 600 * time.Second},
		"a fraction of a second is kept":    {"0.25", 250 * time.Millisecond},
		"underscores and exponents":         {"1_0.0e1", 100 * time.Second},
		"a hexadecimal number":              {"0x10", 16 * time.Second},
		"a string that holds a number":      {`" 12.5 "`, 12500 * time.Millisecond},
		"thirty days":                       {"2592000", 30 * 24 * time.Hour},
		"more than thirty days":             {"2592000.1", 0},
		"zero":                              {"0", 0},
		"zero as a float":                   {"0.0", 0},
		"less than a nanosecond":            {"1e-12", 0},
		"a negative number":                 {"-1", 0},
		"not a number":                      {"nan", 0},
		"infinity":                          {"inf", 0},
		"a number that overflows":           {"1e300", 0},
		"a string that holds infinity":      {`"inf"`, 0},
		"a string with a unit":              {`"30m"`, 0},
		"a hexadecimal string":              {`"0x10"`, 0},
		"a boolean":                         {"true", 0},
		"an array":                          {"[1]", 0},
		"a date":                            {"2026-01-01", 0},
		"the largest integer does not wrap": {"9223372036854775807", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := task.Parse("task.toml", []byte("[agent]\ntimeout_sec = "+tc.written+"\n"), task.Options{})
			if tc.want == 0 {
				var e *task.ConfigError
				if !errors.As(err, &e) || e.Key != "agent.timeout_sec" || e.Line != 2 {
					t.Fatalf("got %v, want an error about agent.timeout_sec on line 2", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Agent.Timeout; !got.Set || got.Value != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWholeNumbersAndSizes(t *testing.T) {
	for name, tc := range map[string]struct {
		written string
		want    string // of cpus, memory and storage in MiB; empty means an error
		warned  bool
	}{
		"whole numbers":                            {"cpus = 2\nmemory_mb = 512\nstorage_mb = 10", "2 512 10", false},
		"a whole float":                            {"cpus = 2.0", "2 unset unset", true},
		"a number in a string":                     {`cpus = "2"`, "2 unset unset", true},
		"true counts as one":                       {"cpus = true", "1 unset unset", true},
		"a broken float":                           {"cpus = 2.5", "", false},
		"a huge float":                             {"cpus = 1e300", "", false},
		"not a number":                             {"cpus = nan", "", false},
		"a word":                                   {`cpus = "two"`, "", false},
		"false would be none":                      {"cpus = false", "", false},
		"too many":                                 {"cpus = 1025", "", false},
		"older sizes in gigabytes":                 {`memory = "2G"` + "\n" + `storage = "1.5g"`, "unset 2048 1536", false},
		"older sizes in megabytes and kilobytes":   {`memory = "512M"` + "\n" + `storage = "2047k"`, "unset 512 1", false},
		"an older size below one megabyte":         {`memory = "1000K"`, "", false},
		"an older size without a unit":             {`memory = "2048"`, "", false},
		"an older size with a longer unit":         {`memory = "2GB"`, "", false},
		"an older size that is negative":           {`memory = "-2G"`, "", false},
		"an older size that is a number":           {`memory = 2`, "", false},
		"an older size that is only a unit":        {`memory = "G"`, "", false},
		"an older size that is not finite":         {`memory = "infG"`, "", false},
		"both spellings of one size that agree":    {`memory = "2G"` + "\nmemory_mb = 2048", "unset 2048 unset", false},
		"both spellings of one size that disagree": {`memory = "2G"` + "\nmemory_mb = 4096", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c, warnings, err := task.Parse("task.toml", []byte("[environment]\n"+tc.written+"\n"), task.Options{})
			if (err != nil) != (tc.want == "") {
				t.Fatalf("got error %v, want %q", err, tc.want)
			}
			if err != nil {
				return
			}
			e := c.Environment
			if got := fmt.Sprint(e.CPUs, " ", e.MemoryMB, " ", e.StorageMB); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if warned := len(warnings) == 1 && warnings[0].Code == task.CoercedValue; warned != tc.warned {
				t.Errorf("got warnings %v, want one: %v", warnings, tc.warned)
			}
		})
	}
}

func TestNetworkOfATable(t *testing.T) {
	for name, tc := range map[string]struct {
		written, want string // want is the mode and hosts of the start; empty means an error
	}{
		"nothing is said":                       {"", "public []"},
		"internet is allowed":                   {"allow_internet = true", "public []"},
		"internet is not allowed":               {"allow_internet = false", "no-network []"},
		"a mode":                                {`network_mode = "no-network"`, "no-network []"},
		"a list with its mode":                  {`network_mode = "allowlist"` + "\n" + `allowed_hosts = ["A.example."]`, "allowlist [a.example]"},
		"a mode that needs a list and has none": {`network_mode = "allowlist"`, "allowlist []"},
		"a list without a mode":                 {`allowed_hosts = ["a.example"]`, ""},
		"a list with another mode":              {`network_mode = "public"` + "\nallowed_hosts = []", ""},
		"old and new that agree":                {`network_mode = "no-network"` + "\nallow_internet = false", "no-network []"},
		"old and new that disagree":             {`network_mode = "no-network"` + "\nallow_internet = true", ""},
		"old says closed and new says open":     {`network_mode = "public"` + "\nallow_internet = false", ""},
		"old says closed and new says a list":   {`network_mode = "allowlist"` + "\nallow_internet = false", ""},
		"old says open and new says a list":     {`network_mode = "allowlist"` + "\nallow_internet = true", "allowlist []"},
		"a mode in capitals":                    {`network_mode = "Public"`, ""},
		"internet allowed by a word":            {`allow_internet = "true"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := task.Parse("task.toml", []byte("[environment]\n"+tc.written+"\n"), task.Options{})
			if (err != nil) != (tc.want == "") {
				t.Fatalf("got error %v, want %q", err, tc.want)
			}
			if err != nil {
				return
			}
			p := c.StartNetwork()
			if got := fmt.Sprint(p.Mode, " ", p.Hosts); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAllowedHosts(t *testing.T) {
	for written, want := range map[string]string{
		"example.com": "example.com", " Example.COM. ": "example.com", "localhost": "localhost",
		"*.example.com": "*.example.com", "10.1.2.3": "10.1.2.3", "2001:DB8::1": "2001:db8::1",
		"10.0.0.0/8": "10.0.0.0/8", "2001:db8::/32": "2001:db8::/32", "xn--bcher-kva.example": "xn--bcher-kva.example",
		strings.Repeat("a", 63) + ".example": strings.Repeat("a", 63) + ".example",
		"":                                   "", "*": "", "*.": "", "*.*.example": "", "a.*.example": "", "*.10.0.0.1": "", "http://example.com": "",
		"example.com:443": "", "example.com/x": "", "[::1]": "", "fe80::1%eth0": "", "10.0.0.1/8": "", "10.0.0.0/33": "",
		"a..b": "", "-a.example": "", "a-.example": "", "a_b.example": "", "bücher.example": "", "a b": "", "10.0.0": "",
		strings.Repeat("a", 64) + ".example": "", strings.Repeat("a.", 127) + "example": "",
	} {
		got, ok := task.NormalHost(written)
		if ok != (want != "") || ok && got != want {
			t.Errorf("host %q: got %q, %v; want %q", written, got, ok, want)
		}
	}
}

func TestEnvironmentValuesAreKeptToTheByte(t *testing.T) {
	c := parse(t, `[environment.env]
A = "a$b"
B = "a$$b"
C = 'a$HOME'
D = "${X:-y}"
E = "x$"
F = "'q' \"q\" #h = \t"
`)
	want := task.EnvTable{"A": "a$b", "B": "a$$b", "C": "a$HOME", "D": "${X:-y}", "E": "x$", "F": "'q' \"q\" #h = \t"}
	if diff := cmp.Diff(want, c.Environment.Env); diff != "" {
		t.Error(diff)
	}
}

func TestPlacesOfKeys(t *testing.T) {
	c := parse(t, "[environment]\ncpus = 1\n\n[[steps]]\nname = 'a'\n\n[[steps]]\nname = 'b'\n  agent.user = 'x'\n[steps.verifier]\n")
	for key, want := range map[string]task.Position{
		"environment":         {Line: 1, Column: 2},
		"environment.cpus":    {Line: 2, Column: 1},
		"steps[1].name":       {Line: 8, Column: 1},
		"steps[1].agent.user": {Line: 9, Column: 9},
		"steps[1].verifier":   {Line: 10, Column: 8},
		"environment.tpu":     {},
	} {
		if got := c.Where(key); got != want {
			t.Errorf("%s is at %v, want %v", key, got, want)
		}
	}
}
