package faultproxy_test

import (
	"testing"

	"github.com/seatrial/seatrial/internal/faultproxy"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		request string
		method  string
		path    string
		want    faultproxy.Kind
	}{
		{"ping", "HEAD", "/_ping", faultproxy.Ping},
		{"version", "GET", "/v1.41/version", faultproxy.Version},
		{"events", "GET", "/v1.41/events", faultproxy.Events},
		{"BuildKit", "POST", "/grpc", faultproxy.Build},
		{"BuildKit's session", "POST", "/session", faultproxy.Build},
		{"an image with slashes", "GET", "/v1.51/images/127.0.0.1:5000/a/b:latest/json", faultproxy.ImageInspect},
		{"the list of images", "GET", "/v1.51/images/json", faultproxy.Other},
		{"a pull", "POST", "/v1.41/images/create", faultproxy.ImagePull},
		{"the list of containers", "GET", "/v1.41/containers/json", faultproxy.ContainerList},
		{"a container", "GET", "/v1.41/containers/0f1e/json", faultproxy.ContainerInspect},
		{"a container without a version", "GET", "/containers/0f1e/json", faultproxy.ContainerInspect},
		{"its creation", "POST", "/v1.41/containers/create", faultproxy.ContainerCreate},
		{"its start", "POST", "/v1.41/containers/0f1e/start", faultproxy.ContainerStart},
		{"its removal", "DELETE", "/v1.41/containers/0f1e", faultproxy.ContainerRemove},
		{"files into it", "PUT", "/v1.41/containers/0f1e/archive", faultproxy.ArchivePut},
		{"files out of it", "GET", "/v1.41/containers/0f1e/archive", faultproxy.ArchiveGet},
		{"a look at a file", "HEAD", "/v1.41/containers/0f1e/archive", faultproxy.ArchiveStat},
		{"a command", "POST", "/v1.41/containers/0f1e/exec", faultproxy.ExecCreate},
		{"its start", "POST", "/v1.41/exec/0f1e/start", faultproxy.ExecStart},
		{"its state", "GET", "/v1.41/exec/0f1e/json", faultproxy.ExecInspect},
		{"the list of networks", "GET", "/v1.41/networks", faultproxy.NetworkList},
		{"a network", "GET", "/v1.41/networks/seatrial-shared", faultproxy.NetworkInspect},
		{"its creation", "POST", "/v1.41/networks/create", faultproxy.NetworkCreate},
		{"a join", "POST", "/v1.41/networks/x/connect", faultproxy.NetworkConnect},
		{"its removal", "DELETE", "/v1.41/networks/x", faultproxy.NetworkRemove},
		{"a volume's removal", "DELETE", "/v1.41/volumes/x", faultproxy.VolumeRemove},
		{"something else", "GET", "/v1.41/plugins", faultproxy.Other},
		{"nothing", "GET", "/", faultproxy.Other},
	} {
		t.Run(c.request, func(t *testing.T) {
			if got := faultproxy.KindOf(c.method, c.path); got != c.want {
				t.Errorf("%s %s is %s, want %s", c.method, c.path, got, c.want)
			}
		})
	}
}

func FuzzKindOf(f *testing.F) {
	f.Add("GET", "/v1.41/containers/x/json")
	f.Add("POST", "//")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, method, path string) {
		if faultproxy.KindOf(method, path) == "" {
			t.Error("no kind")
		}
	})
}
