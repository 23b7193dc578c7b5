package sidecar_test

import (
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

func TestHowCallsAreTreated(t *testing.T) {
	const read, change, remove, piece = 15 * time.Second, time.Minute, 25 * time.Second, time.Minute
	for _, c := range []struct {
		name, method, path string
		limit              time.Duration
		again, stream      bool
	}{
		{"a ping is made again", "HEAD", "/_ping", read, true, false},
		{"a list is made again", "GET", "/v1.41/containers/json", read, true, false},
		{"a removal is made again", "DELETE", "/v1.41/containers/x", remove, true, false},
		{"an image's removal may take long", "DELETE", "/v1.41/images/seatrial/x:1", 5 * time.Minute, true, false},
		{"so may what all images take", "GET", "/v1.41/system/df", 5 * time.Minute, true, false},
		{"the build cache's removal takes as long as it takes", "POST", "/v1.41/build/prune", 0, false, true},
		{"a container's creation is made again: its name is unique", "POST", "/v1.41/containers/create", change, true, false},
		{"a network's creation is not: its name is not unique", "POST", "/v1.41/networks/create", change, false, false},
		{"a kill is made again", "POST", "/v1.41/containers/x/kill", change, true, false},
		{"a command's creation is made again: nothing runs by it", "POST", "/v1.41/containers/x/exec", change, true, false},
		{"a container's start is not: a service that has done its work would do it twice", "POST", "/v1.41/containers/x/start", change, false, false},
		{"a rename is not", "POST", "/v1.41/containers/x/rename", change, false, false},
		{"files that go in are not: they are a stream", "PUT", "/v1.41/containers/x/archive", piece, false, false},
		{"files that come out are not: they are a stream", "GET", "/v1.41/containers/x/archive", piece, false, true},
		{"events come as they come", "GET", "/v1.41/events", read, true, true},
		{"a pull takes as long as it takes", "POST", "/v1.41/images/create", 0, false, true},
		{"what is not known is neither bounded nor made again", "POST", "/v1.41/plugins/x/enable", 0, false, true},
		{"a request without a path is no trouble", "GET", "", read, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit, again, stream := sidecar.CallPolicy(c.method, c.path)
			if limit != c.limit || again != c.again || stream != c.stream {
				t.Errorf("limit %s, again %v, stream %v; want %s, %v, %v", limit, again, stream, c.limit, c.again, c.stream)
			}
		})
	}
}

func FuzzCallPolicy(f *testing.F) {
	f.Add("POST", "/v1.41/exec/x/start")
	f.Add("POST", "/")
	f.Fuzz(func(t *testing.T, method, path string) {
		if _, again, _ := sidecar.CallPolicy(method, path); again && method == "POST" && len(path) > 6 && path[len(path)-6:] == "/start" {
			t.Errorf("%s would be made again", path)
		}
	})
}

func TestExitCodesThatTellOfALostStream(t *testing.T) {
	for code, want := range map[int]bool{0: true, 74: true, 137: false, 126: false, 2: false, 143: false} {
		if got := sidecar.StreamLost(code); got != want {
			t.Errorf("exit code %d: %v", code, got)
		}
	}
}
