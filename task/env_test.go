package task_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func host(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestTemplates(t *testing.T) {
	vars := host(map[string]string{"A": "a}$", "EMPTY": "", "A B": "blank", "A\nB": "break"})
	for value, want := range map[string]string{
		"${A}": "a}$", "${A:-x}": "a}$", "${EMPTY}": "", "${EMPTY:-x}": "", "${NO:-x}": "x", "${NO:-}": "",
		"${NO:-a:b//c}": "a:b//c", "${NO:-}}": "}", "${NO:-${A}}": "${A}", "${A B}": "blank", "${A\nB}": "break",
		"": "", "$A": "$A", "${A}y": "${A}y", "x${A}": "x${A}", "${A:d}": "${A:d}", "${}": "${}", "${:-x}": "${:-x}",
		"${A": "${A", "${A}}": "${A}}", "${A:-x": "${A:-x", "${NO:-a\nb}": "${NO:-a\nb}", "$${A}": "$${A}", "${A}\n": "${A}\n",
		"${A:-": "${A:-",
	} {
		got, _, err := task.EnvTable{"K": value}.Resolve("t", vars)
		if err != nil || got["K"] != want {
			t.Errorf("%q became %q (%v), want %q", value, got["K"], err, want)
		}
	}
}

func TestValuesFromTheHostAreNamed(t *testing.T) {
	table := task.EnvTable{"Z": "${A}", "LITERAL": "a", "DEFAULT": "${NO:-a}", "B": "${A:-x}"}
	values, fromHost, err := table.Resolve("environment.env", host(map[string]string{"A": "a"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"Z": "a", "LITERAL": "a", "DEFAULT": "a", "B": "a"}, values); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"B", "Z"}, fromHost); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"A", "NO"}, table.HostNames()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryMissingVariableIsNamed(t *testing.T) {
	values, _, err := task.EnvTable{"K": "${NO}", "J": "${NOR}", "L": "x"}.Resolve("verifier.env", host(nil))
	var missing *task.MissingEnvError
	if values != nil || !errors.As(err, &missing) {
		t.Fatalf("got %v and %v, want a MissingEnvError alone", values, err)
	}
	if diff := cmp.Diff(task.MissingEnvError{Table: "verifier.env", Key: "J", Name: "NOR"}, *missing); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(err.Error(), "no environment variable NO;") {
		t.Errorf("the second is not named: %v", err)
	}
}

func FuzzEnvResolve(f *testing.F) {
	for _, s := range []string{"${A}", "${B:-}", "${B:-}}", "x", "${A:-\n}", "${}", "${:-}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		table := task.EnvTable{"K": value}
		values, fromHost, err := table.Resolve("t", host(map[string]string{"A": "a"}))
		names := table.HostNames()
		if len(names) == 0 && (err != nil || values["K"] != value || len(fromHost) > 0) {
			t.Fatalf("%q is no template but became %q, %v, %v", value, values["K"], fromHost, err)
		}
		if len(names) > 0 && (!strings.HasPrefix(value, "${") || !strings.HasSuffix(value, "}")) {
			t.Fatalf("%q was taken for a template", value)
		}
		if err == nil && len(slices.Collect(maps.Keys(values))) != 1 {
			t.Fatalf("got %v", values)
		}
	})
}
