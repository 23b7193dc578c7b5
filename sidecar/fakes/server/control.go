package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
)

// Recorder writes down how the world stands. Its methods are for the control plane alone, and safe for concurrent use.
type Recorder interface {
	// Step ends a task's step of this name with a snapshot. It returns a *StepNameError or, after Freeze, a *FrozenError.
	Step(name string) error
	// Freeze lets no later call have an effect, takes the final snapshot and completes the evidence. A second Freeze
	// changes nothing and returns what the first one did.
	Freeze() error
	// Status says how things stand.
	Status() Status
}

// Status is what the control plane tells.
type Status struct {
	Scenario   string   `json:"scenario"`
	Servers    []string `json:"servers"`
	Calls      int64    `json:"calls"`
	Refused    int64    `json:"refused"`
	Outbound   int64    `json:"outbound"`
	Violations int64    `json:"violations"`
	Steps      []string `json:"steps"`
	Frozen     bool     `json:"frozen"`
}

// Control is the control plane. It must be served on a unix socket only: whoever reaches it can end the evidence.
func Control(rec Recorder, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { tell(w, rec, nil) })
	mux.HandleFunc("POST /freeze", func(w http.ResponseWriter, _ *http.Request) { tell(w, rec, rec.Freeze()) })
	mux.HandleFunc("POST /step", func(w http.ResponseWriter, r *http.Request) { tell(w, rec, rec.Step(r.URL.Query().Get("name"))) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxHeader)
		contain(log, w, func() { mux.ServeHTTP(w, r) })
	})
}

// told is an answer of the control plane.
type told struct {
	Error string `json:"error,omitempty"`
	Status
}

func tell(w http.ResponseWriter, rec Recorder, err error) {
	t, status := told{Status: rec.Status()}, http.StatusOK
	if err != nil {
		t.Error, status = err.Error(), http.StatusConflict
	}
	out, err := json.Marshal(t)
	if err != nil {
		writeProblem(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(out, '\n'))
}

// checkStep makes sure that a step's name can be part of a file's name.
func checkStep(name string) error {
	if ok, _ := regexp.MatchString(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`, name); !ok {
		return &StepNameError{Name: name}
	}
	return nil
}
