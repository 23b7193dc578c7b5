package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

func TestParallelClientsLoseNothing(t *testing.T) {
	s := start(t, config(t))
	const clients, each = 50, 20
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for k := range each {
				body := fmt.Sprintf(`{"name":"client %d item %d"}`, c, k)
				req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/http/shop/v1/items", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				res.Body.Close()
				if res.StatusCode != 201 {
					t.Errorf("client %d, item %d: %s", c, k, res.Status)
				}
			}
		})
	}
	wg.Wait()
	s.ask(t, "freeze", "")
	e, err := evidence.Open(s.out)
	if err != nil {
		t.Fatal(err)
	}
	var seq int64
	next := map[int]int{}
	if err := e.Calls(evidence.Query{}, func(line evidence.CallLine) error {
		seq++
		var c, k int
		if _, err := fmt.Sscanf(string(line.Arguments), `{"name":"client %d item %d"}`, &c, &k); err != nil || line.Seq != seq || next[c] != k {
			t.Errorf("line %d: number %d, %s, want item %d (%v)", seq, line.Seq, line.Arguments, next[c], err)
		}
		next[c]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if final, err := e.Final(); err != nil || seq != clients*each || len(final["shop"]["item"]) != clients*each+2 {
		t.Errorf("%d calls, %d items (%v)", seq, len(final["shop"]["item"]), err)
	}
}
