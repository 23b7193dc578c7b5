package faultproxy

import (
	"net/http"
	"strings"
)

// Kind is a kind of request to a container engine.
type Kind string

// The kinds that are told apart (Docker Engine API).
const (
	Ping             Kind = "ping"
	Version          Kind = "version"
	Info             Kind = "info"
	Events           Kind = "events"
	Build            Kind = "build" // BuildKit's own connections
	ImageInspect     Kind = "image-inspect"
	ImagePull        Kind = "image-pull"
	ContainerList    Kind = "container-list"
	ContainerCreate  Kind = "container-create"
	ContainerInspect Kind = "container-inspect"
	ContainerStart   Kind = "container-start"
	ContainerKill    Kind = "container-kill"
	ContainerWait    Kind = "container-wait"
	ContainerRemove  Kind = "container-remove"
	ContainerRename  Kind = "container-rename"
	ContainerPause   Kind = "container-pause"
	ContainerUnpause Kind = "container-unpause"
	ContainerLogs    Kind = "container-logs"
	ExecCreate       Kind = "exec-create"
	ExecStart        Kind = "exec-start"
	ExecInspect      Kind = "exec-inspect"
	ArchivePut       Kind = "archive-put"
	ArchiveGet       Kind = "archive-get"
	ArchiveStat      Kind = "archive-stat"
	NetworkList      Kind = "network-list"
	NetworkCreate    Kind = "network-create"
	NetworkInspect   Kind = "network-inspect"
	NetworkConnect   Kind = "network-connect"
	NetworkLeave     Kind = "network-disconnect"
	NetworkRemove    Kind = "network-remove"
	VolumeList       Kind = "volume-list"
	VolumeRemove     Kind = "volume-remove"
	Other            Kind = "other"
)

// Upgrades says whether the answer to a kind is a raw connection.
func (k Kind) Upgrades() bool { return k == Build || k == ExecStart }

// streams says whether the answer to a kind may have no end.
func (k Kind) streams() bool {
	return k == Events || k == ContainerLogs || k == ContainerWait || k == ImagePull || k == ArchiveGet
}

// KindOf classifies a request by its method and path.
func KindOf(method, path string) Kind {
	p := strings.Split(strings.Trim(path, "/"), "/")
	if len(p) > 1 && strings.HasPrefix(p[0], "v1.") {
		p = p[1:]
	}
	switch p[0] {
	case "_ping":
		return Ping
	case "version":
		return Version
	case "info":
		return Info
	case "events":
		return Events
	case "grpc", "session", "build":
		return Build
	case "images":
		return imageKind(method, p)
	case "exec":
		return pick(p[len(p)-1], map[string]Kind{"start": ExecStart, "json": ExecInspect})
	case "containers":
		return containerKind(method, p)
	case "networks":
		return networkKind(method, p)
	case "volumes":
		switch method {
		case http.MethodGet:
			return VolumeList
		case http.MethodDelete:
			return VolumeRemove
		}
	}
	return Other
}

func pick(word string, kinds map[string]Kind) Kind {
	if k, ok := kinds[word]; ok {
		return k
	}
	return Other
}

// imageKind: an image's name may have slashes in it.
func imageKind(method string, p []string) Kind {
	last := p[len(p)-1]
	switch {
	case method == http.MethodGet && len(p) > 2 && last == "json":
		return ImageInspect
	case method == http.MethodPost && last == "create":
		return ImagePull
	}
	return Other
}

func containerKind(method string, p []string) Kind {
	last := p[len(p)-1]
	if last == "archive" {
		return pick(method, map[string]Kind{http.MethodPut: ArchivePut, http.MethodGet: ArchiveGet, http.MethodHead: ArchiveStat})
	}
	switch {
	case method == http.MethodDelete:
		return ContainerRemove
	case method == http.MethodGet && len(p) == 2 && last == "json":
		return ContainerList
	case method == http.MethodGet:
		return pick(last, map[string]Kind{"json": ContainerInspect, "logs": ContainerLogs})
	case method == http.MethodPost:
		return pick(last, map[string]Kind{"create": ContainerCreate, "start": ContainerStart, "kill": ContainerKill, "wait": ContainerWait,
			"rename": ContainerRename, "pause": ContainerPause, "unpause": ContainerUnpause, "exec": ExecCreate})
	}
	return Other
}

func networkKind(method string, p []string) Kind {
	switch {
	case method == http.MethodGet && len(p) == 1:
		return NetworkList
	case method == http.MethodGet:
		return NetworkInspect
	case method == http.MethodDelete:
		return NetworkRemove
	case method == http.MethodPost:
		return pick(p[len(p)-1], map[string]Kind{"create": NetworkCreate, "connect": NetworkConnect, "disconnect": NetworkLeave})
	}
	return Other
}
