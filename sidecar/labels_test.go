package sidecar_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

var owner = sidecar.Owner{Host: "h", Boot: "b", NS: "4026531836", PID: 7, Start: "99"}

func TestLabels(t *testing.T) {
	scope := sidecar.Scope{Run: "r", Trial: "t", Owner: owner, Keep: "failed"}
	want := map[string]string{"dev.seatrial.run": "r", "dev.seatrial.trial": "t", "dev.seatrial.owner": "h/b/4026531836/7/99", "dev.seatrial.keep": "failed", "dev.seatrial.service": "main"}
	if diff := cmp.Diff(want, scope.Labels(sidecar.LabelService, "main")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scope.Keep = ""
	if _, ok := scope.Labels()[sidecar.LabelKeep]; ok {
		t.Error("a run without --keep labels its objects with one")
	}
}

func TestATasksLabelsNeverReplaceOurs(t *testing.T) {
	theirs := map[string]string{"dev.seatrial.run": "forged", "dev.seatrial.cache": "x", "dev.seatrial.future": "x", "com.example": "kept"}
	got := sidecar.Merged(theirs, map[string]string{"dev.seatrial.run": "r"})
	if diff := cmp.Diff(map[string]string{"dev.seatrial.run": "r", "com.example": "kept"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if theirs["dev.seatrial.run"] != "forged" {
		t.Error("the task's own map was changed")
	}
}

func TestSelectors(t *testing.T) {
	labels := func(run, trial string) map[string]string {
		return map[string]string{sidecar.LabelRun: run, sidecar.LabelTrial: trial}
	}
	for _, c := range []struct {
		name   string
		sel    sidecar.Selector
		labels map[string]string
		want   bool
	}{
		{"an empty one chooses what any run made", sidecar.Selector{}, labels("r", "t"), true},
		{"and nothing else", sidecar.Selector{}, map[string]string{"com.example": "x"}, false},
		{"and no cache", sidecar.Selector{}, map[string]string{sidecar.LabelCache: "helper"}, false},
		{"a run chooses its own", sidecar.Selector{Run: "r"}, labels("r", "t"), true},
		{"a run leaves another's alone", sidecar.Selector{Run: "r"}, labels("r2", "t"), false},
		{"a run leaves alone one whose id it begins", sidecar.Selector{Run: "r"}, labels("r-1", "t"), false},
		{"a trial chooses its own", sidecar.Selector{Trial: "t"}, labels("r", "t"), true},
		{"a trial leaves another's alone", sidecar.Selector{Trial: "t"}, labels("r", "t2"), false},
		{"a trial of another run of the same name", sidecar.Selector{Run: "r", Trial: "t"}, labels("r2", "t"), false},
		{"a trial without a run is not ours", sidecar.Selector{Trial: "t"}, map[string]string{sidecar.LabelTrial: "t"}, false},
		{"no labels at all", sidecar.Selector{Run: "r"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.sel.Matches(c.labels); got != c.want {
				t.Errorf("chooses: %v, want %v", got, c.want)
			}
		})
	}
	for _, c := range []struct {
		sel  sidecar.Selector
		want []string
	}{
		{sidecar.Selector{}, []string{"dev.seatrial.run"}},
		{sidecar.Selector{Run: "r"}, []string{"dev.seatrial.run=r"}},
		{sidecar.Selector{Run: "r", Trial: "t"}, []string{"dev.seatrial.trial=t"}},
	} {
		if diff := cmp.Diff(c.want, c.sel.Query()); diff != "" {
			t.Errorf("%+v asks the engine for (-want +got):\n%s", c.sel, diff)
		}
	}
}

func TestObjectsAreNamedForPeople(t *testing.T) {
	for _, c := range []struct {
		o    sidecar.Object
		want string
	}{
		{sidecar.Object{Kind: "container", ID: "0123456789abcdef", Name: "x"}, "container 0123456789ab (x)"},
		{sidecar.Object{Kind: "network", ID: "0123456789abcdef"}, "network 0123456789ab"},
		{sidecar.Object{Kind: "volume", ID: "seatrial-long-name-of-a-volume", Name: "seatrial-long-name-of-a-volume"}, "volume seatrial-long-name-of-a-volume"},
	} {
		if got := c.o.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
