package sidecar_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

// slowly is an engine that makes networks later than anybody waits for, and refuses the subnet of one under way.
type slowly struct {
	answers
	late time.Duration // a network is there this long after it was asked for

	mu    sync.Mutex
	asked []made
}

type made struct {
	name, subnet string
	labels       map[string]string
	at           time.Time
}

func (e *slowly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/networks/create"):
		var body struct {
			Name   string
			Labels map[string]string
			IPAM   struct{ Config []struct{ Subnet string } }
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		e.mu.Lock()
		for _, m := range e.asked {
			if m.subnet == body.IPAM.Config[0].Subnet {
				e.mu.Unlock()
				say(w, status(http.StatusForbidden))
				return
			}
		}
		e.asked = append(e.asked, made{body.Name, body.IPAM.Config[0].Subnet, body.Labels, time.Now().Add(e.late)})
		e.mu.Unlock()
		<-r.Context().Done()
	case strings.HasSuffix(r.URL.Path, "/networks"):
		list := []any{}
		e.mu.Lock()
		for _, m := range e.asked {
			if time.Now().After(m.at) && strings.Contains(r.URL.RawQuery, m.name) {
				list = append(list, map[string]any{"Id": "id-of-" + m.name, "Name": m.name, "Labels": m.labels, "IPAM": map[string]any{"Config": []any{map[string]any{"Subnet": m.subnet}}}})
			}
		}
		e.mu.Unlock()
		say(w, list)
	default:
		e.answers.ServeHTTP(w, r)
	}
}

func TestAnEngineThatMakesNetworksLateIsNotAskedForMoreAndMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		late time.Duration
		id   string
		most int
	}{
		{"one that comes while it is waited for is taken", 600 * time.Millisecond, "id-of-n", 3},
		{"where none comes, few were asked for", time.Hour, "", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &slowly{answers: sound(), late: c.late}
			h := serve(t, e)
			h.CallLimit = 200 * time.Millisecond
			id, err := connect(t, h).MakeNetwork(t.Context(), "n", map[string]string{sidecar.LabelTrial: "t"})
			if (c.id == "") != (err != nil) || !strings.HasPrefix(id, c.id) {
				t.Errorf("%q, %v", id, err)
			}
			if err != nil && !strings.Contains(err.Error(), "has answered none of") {
				t.Error(err)
			}
			if len(e.asked) > c.most {
				t.Errorf("%d networks were asked for", len(e.asked))
			}
		})
	}
}
