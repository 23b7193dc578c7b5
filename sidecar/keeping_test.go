package sidecar_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

// loft is an engine with kept stacks, and notes what is asked of it beyond looking.
type loft struct {
	answers
	mu   sync.Mutex
	done []string
}

func (l *loft) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost || r.Method == http.MethodDelete {
		_, path, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
		l.mu.Lock()
		l.done = append(l.done, path)
		l.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	l.answers.ServeHTTP(w, r)
}

func (l *loft) did() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.done)
	return l.done
}

// stackOf is one container of a trial, in a state, and how the engine describes it.
func stackOf(trial, name, state string, o sidecar.Owner, more map[string]string) map[string]any {
	labels := map[string]string{sidecar.LabelRun: "r1", sidecar.LabelTrial: trial, sidecar.LabelOwner: o.String(), sidecar.LabelService: "main"}
	for k, v := range more {
		labels[k] = v
	}
	return map[string]any{"Id": name, "Names": []string{"/" + name}, "State": state, "Labels": labels}
}

// note is the volume that says for how long a trial's stack is kept.
func note(trial, since, until string) map[string]any {
	labels := map[string]string{sidecar.LabelRun: "r1", sidecar.LabelTrial: trial, sidecar.LabelOwner: sidecar.Self().String(), sidecar.LabelKeptSince: since}
	if until != "" {
		labels[sidecar.LabelKeptUntil] = until
	}
	return map[string]any{"Name": "note-" + trial, "Labels": labels}
}

// full is an engine with stacks kept in all ways: no longer, still, for good, without a word, by another host, no longer and visited, no longer and left by somebody.
func full(t *testing.T) *loft {
	t.Helper()
	self, dead, foreign := sidecar.Self(), sidecar.Self(), sidecar.Self()
	dead.Boot, foreign.Host = "earlier", "elsewhere"
	const past, future = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
	forged := map[string]string{sidecar.LabelKeptSince: past, sidecar.LabelKeptUntil: past} // an image's
	state := func(paused bool, execs ...string) map[string]any {
		return map[string]any{"Id": "x", "State": map[string]any{"Running": true, "Paused": paused}, "ExecIDs": execs}
	}
	return &loft{answers: sound().but("containers/json", []any{
		stackOf("over", "over-kept", "paused", dead, nil), stackOf("still", "still-kept", "paused", dead, nil), stackOf("good", "good-kept", "running", dead, nil),
		stackOf("old", "old-kept", "paused", dead, forged), stackOf("theirs", "theirs-kept", "paused", foreign, nil), stackOf("visited", "visited-kept", "running", dead, nil),
		stackOf("left", "left-kept", "running", dead, nil), stackOf("live", "live", "running", self, nil), stackOf("dead", "dead", "running", dead, nil),
	}).but("volumes", map[string]any{"Volumes": []any{
		note("over", past, past), note("still", "2020-01-02T03:04:05Z", future), note("good", past, ""), note("theirs", past, past), note("visited", past, past), note("left", past, past),
		note("live", past, past), // not kept at all
	}}).but("containers/visited-kept/json", state(false, "e0", "e1", "gone")).but("containers/left-kept/json", state(false, "e0")).but("containers/over-kept/json", state(true, "e1")).
		but("exec/e0/json", map[string]any{"Running": false}).but("exec/e1/json", map[string]any{"Running": true})}
}

func TestKeptStacksAreRemovedWhenTheirTimeIsOver(t *testing.T) {
	for _, c := range []struct {
		name          string
		kept, foreign bool
		want          []string
	}{
		{"plainly", false, false, []string{"dead", "left", "over", "theirs"}},
		{"with all that are kept", true, false, []string{"dead", "good", "left", "old", "over", "still", "theirs", "visited"}},
		{"with other hosts'", false, true, []string{"dead", "left", "over", "theirs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stale, err := connect(t, serve(t, full(t))).Stale(t.Context(), sidecar.Self(), c.kept, c.foreign)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range stale {
				if s.Kind == "container" {
					got = append(got, s.Trial)
				}
				if s.Kept == (s.Trial == "dead") {
					t.Errorf("kept: %v of %s", s.Kept, s.Trial)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeptStacksAreListed(t *testing.T) {
	list, err := connect(t, serve(t, full(t))).Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byTrial := map[string]sidecar.Kept{}
	for _, k := range list {
		byTrial[k.Trial] = k
	}
	at := func(s string) time.Time {
		a, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, want := range []sidecar.Kept{
		{Run: "r1", Trial: "still", Since: at("2020-01-02T03:04:05Z"), Until: at("2999-01-01T00:00:00Z"), Containers: 1},
		{Run: "r1", Trial: "good", Since: at("2020-01-01T00:00:00Z"), Open: true, Containers: 1},
		{Run: "r1", Trial: "old", Containers: 1},
	} {
		if diff := cmp.Diff(want, byTrial[want.Trial]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Trial, diff)
		}
	}
	if len(list) != 7 || list[0].Trial != "old" {
		t.Errorf("%d stacks, the first %+v", len(list), list[0])
	}
}

func TestAKeptStackIsReopened(t *testing.T) {
	l := full(t)
	e := connect(t, serve(t, l))
	k, err := e.Reopen(t.Context(), "r1", "still")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(k.Unpause(t.Context()), k.Pause(t.Context())); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"containers/still-kept/pause", "containers/still-kept/unpause"}, l.did()); diff != "" || !slices.Equal(k.Services(), []string{"main"}) {
		t.Errorf("%v (-want +got):\n%s", k.Services(), diff)
	}
	if k, err = e.Reopen(t.Context(), "r1", "visited"); err != nil || !k.Busy(t.Context()) {
		t.Errorf("visited: %v", err)
	}
	if k, err = e.Reopen(t.Context(), "r1", "over"); err != nil || k.Busy(t.Context()) {
		t.Errorf("a command that is frozen counts as busy, %v", err)
	}
	for _, c := range []struct {
		run, trial string
		there      bool
	}{{"r1", "nowhere", false}, {"r2", "still", false}, {"r1", "live", true}, {"r1", "", false}, {"", "", false}} {
		_, err := e.Reopen(t.Context(), c.run, c.trial)
		var n *sidecar.NotKeptError
		if !errors.As(err, &n) || n.There != c.there && c.trial != "" {
			t.Errorf("%s of %s: %v", c.trial, c.run, err)
		}
	}
}
