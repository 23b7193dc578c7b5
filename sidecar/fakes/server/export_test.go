package server

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

var ListenControl = listenControl

func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Arguments merges a request's parts as the HTTP side does.
func Arguments(r *http.Request, params []spec.Param, path map[string]string, body []byte) (json.RawMessage, error) {
	return arguments(spec.Route{Body: spec.BodyMerge, Params: params}, path, r, body)
}

var LiveLine = liveLine
