package server

import (
	"encoding/json"
	"net/http"
)

// writeProblem answers in plain JSON where the wire itself has to say no.
func writeProblem(w http.ResponseWriter, status int, message string) {
	body, err := json.Marshal(map[string]any{"error": message, "status": status})
	if err != nil {
		body = []byte(`{"error":{}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
