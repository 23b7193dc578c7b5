package sidecar_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar"
)

// noting notes requests that change something, and answers them by method and path.
type noting struct {
	answers
	changes map[string]any
	seen    []string
}

func (n *noting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		n.answers.ServeHTTP(w, r)
		return
	}
	_, path, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	n.seen = append(n.seen, r.Method+" "+path+"?"+r.URL.RawQuery)
	answer, ok := n.changes[path]
	if !ok {
		answer = status(http.StatusNotFound)
	}
	say(w, answer)
}

func TestStoredImages(t *testing.T) {
	lowest := map[string]any{"RootFS": map[string]any{"Type": "layers", "Layers": []string{"sha256:0a"}}}
	history := []any{ // the newest first
		map[string]any{"Created": 3, "CreatedBy": "CMD", "Size": 0}, map[string]any{"Created": 2, "CreatedBy": "COPY . .", "Size": 30}, map[string]any{"Created": 1, "CreatedBy": "base", "Size": 100},
	}
	other := []any{map[string]any{"Created": 2, "CreatedBy": "COPY x .", "Size": 30}, map[string]any{"Created": 1, "CreatedBy": "base", "Size": 100}}
	a := sound().but("images/json", []any{
		map[string]any{"Id": "sha256:a", "RepoTags": []string{"seatrial/a:1"}, "Labels": map[string]string{"x": "y"}, "Created": 1000, "Containers": -1},
		map[string]any{"Id": "sha256:b", "RepoTags": []string{"b:1"}, "Created": 2000, "Containers": -1},
		map[string]any{"Id": "sha256:c", "Created": 3000, "Containers": -1},
	}).but("containers/json", []any{map[string]any{"Id": "1", "ImageID": "sha256:b"}}).but("images/sha256:a/json", lowest).but("images/sha256:b/json", lowest).but("images/sha256:a/history", history).but("images/sha256:b/history", other)
	list, err := connect(t, serve(t, a)).StoredImages(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%v %+v", err, list)
	}
	x, y, gone := list[0], list[1], list[2]
	if x.InUse || !y.InUse || x.Labels["x"] != "y" || !slices.Equal(x.Tags, []string{"seatrial/a:1"}) || !x.Created.Equal(time.Unix(1000, 0)) {
		t.Errorf("%+v\n%+v", x, y)
	}
	if len(x.Layers) != 2 || x.Layers[0].Bytes != 100 || x.Layers[1].Bytes != 30 || x.Layers[0] != y.Layers[0] || x.Layers[1] == y.Layers[1] {
		t.Errorf("layers:\n%+v\n%+v", x.Layers, y.Layers)
	}
	if gone.Layers != nil {
		t.Errorf("an image that went away meanwhile has %v", gone.Layers)
	}
	if _, err := connect(t, serve(t, a.but("images/sha256:a/history", status(400)))).StoredImages(t.Context()); err == nil || !strings.Contains(err.Error(), "sha256:a") {
		t.Errorf("an engine that does not say: %v", err)
	}
}

func TestStoredBuilds(t *testing.T) {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	a := sound().but("system/df", map[string]any{"BuildCache": []any{
		map[string]any{"ID": "1", "Size": 10, "CreatedAt": at, "LastUsedAt": at.Add(time.Hour)},
		map[string]any{"ID": "2", "Size": 20, "CreatedAt": at, "InUse": true},
		map[string]any{"ID": "3", "Size": 40, "CreatedAt": at, "Shared": true},
		nil,
		map[string]any{"ID": "5", "Size": -1, "CreatedAt": at},
	}})
	got, err := connect(t, serve(t, a)).StoredBuilds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []sidecar.StoredBuild{{ID: "1", Used: at.Add(time.Hour), Bytes: 10}, {ID: "2", Used: at, InUse: true, Bytes: 20}, {ID: "5", Used: at}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := connect(t, serve(t, sound().but("system/df", map[string]any{}))).StoredBuilds(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("an engine without one: %v %v", got, err)
	}
}

func TestRemoveImage(t *testing.T) {
	gone := []any{map[string]string{"Untagged": "x"}}
	for _, c := range []struct {
		name   string
		answer map[string]any
		kept   bool
		fails  bool
		calls  int
	}{
		{"both names go", map[string]any{"images/seatrial/a:1": gone, "images/seatrial/b:1": gone}, false, false, 2},
		{"what is gone is no error", map[string]any{"images/seatrial/b:1": gone}, false, false, 2},
		{"one with a container stays", map[string]any{"images/seatrial/a:1": status(http.StatusConflict), "images/seatrial/b:1": gone}, true, false, 1},
		{"one that cannot be removed", map[string]any{"images/seatrial/a:1": status(http.StatusForbidden)}, false, true, 1},
	} {
		n := &noting{answers: sound(), changes: c.answer}
		kept, err := connect(t, serve(t, n)).RemoveImage(t.Context(), []string{"seatrial/a:1", "seatrial/b:1"})
		if kept != c.kept || (err != nil) != c.fails || len(n.seen) != c.calls {
			t.Errorf("%s: kept %v, %v, %q", c.name, kept, err, n.seen)
		}
		for _, s := range n.seen {
			if strings.Contains(s, "force") || !strings.Contains(s, "noprune=1") {
				t.Errorf("%s: asked for too much: %s", c.name, s)
			}
		}
	}
}

func TestPruneBuilds(t *testing.T) {
	report := map[string]any{"build/prune": map[string]any{"SpaceReclaimed": 12}}
	for _, c := range []struct {
		name, api string
		keep      int64
		want      []string
		not       string
	}{
		{"an engine of today", "1.51", 100, []string{"reserved-space=100"}, "all=1"},
		{"an engine of yesterday", "1.41", 100, []string{"keep-storage=100"}, "reserved-space"},
		{"nothing is kept", "1.51", 0, []string{"all=1"}, "space"},
	} {
		n := &noting{answers: sound().with("version", map[string]any{"ApiVersion": c.api}), changes: report}
		freed, err := connect(t, serve(t, n)).PruneBuilds(t.Context(), c.keep)
		if err != nil || freed != 12 || len(n.seen) != 1 {
			t.Fatalf("%s: %d %v %q", c.name, freed, err, n.seen)
		}
		for _, w := range c.want {
			if !strings.Contains(n.seen[0], w) || strings.Contains(n.seen[0], c.not) {
				t.Errorf("%s: %s", c.name, n.seen[0])
			}
		}
	}
	if _, err := connect(t, serve(t, &noting{answers: sound()})).PruneBuilds(t.Context(), 1); err == nil || errors.Unwrap(err) == nil {
		t.Errorf("an engine that cannot: %v", err)
	}
}
