package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// firstWithoutBatches is the first revision of MCP that has no JSON-RPC batches.
const firstWithoutBatches = "2025-06-18"

// maxBatch bounds the messages of a batch.
const maxBatch = 1000

// unbatch hands the messages of a JSON-RPC batch to next one after the other, in their order: the order of a journal must
// not depend on the scheduler. What is no batch, or comes in a revision without batches, passes untouched.
func unbatch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get("Mcp-Protocol-Version"); r.Method != http.MethodPost || v >= firstWithoutBatches {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuseBody(w, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var batch []json.RawMessage
		if t := bytes.TrimLeft(body, " \t\r\n"); len(t) == 0 || t[0] != '[' || json.Unmarshal(t, &batch) != nil || len(batch) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if len(batch) > maxBatch {
			writeProblem(w, http.StatusBadRequest, "the batch has too many messages")
			return
		}
		answers := []json.RawMessage{}
		for _, m := range batch {
			if a := one(next, r, m); a != nil {
				answers = append(answers, a)
			}
		}
		if len(answers) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		out, err := json.Marshal(answers)
		if err != nil {
			writeProblem(w, http.StatusInternalServerError, "the answers of the batch are no JSON")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(out)
	})
}

// one carries out one message of a batch; nil when it has no answer.
func one(next http.Handler, r *http.Request, m json.RawMessage) json.RawMessage {
	sub := r.Clone(r.Context())
	sub.Body = io.NopCloser(bytes.NewReader(m))
	sub.ContentLength = int64(len(m))
	rec := &recorder{header: http.Header{}}
	next.ServeHTTP(rec, sub)
	body := bytes.TrimSpace(rec.body.Bytes())
	switch {
	case rec.status == http.StatusAccepted:
		return nil
	case json.Valid(body) && len(body) > 0:
		return body
	}
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(m, &head) // without an id the answer has none either
	out, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": head.ID,
		"error": map[string]any{"code": codeInvalidRequest, "message": strings.ToValidUTF8(string(body), "?")}})
	if err != nil {
		return nil
	}
	return out
}

// recorder keeps the answer to one message of a batch.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	return r.body.Write(p) //nolint:wrapcheck // a buffer does not fail
}

// refuseBody answers a body that could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		writeProblem(w, http.StatusRequestEntityTooLarge, "the request body is larger than 8 MiB")
		return
	}
	writeProblem(w, http.StatusBadRequest, "the request body could not be read")
}
