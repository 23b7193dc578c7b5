package registrystub_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/registrystub"
)

func TestMoods(t *testing.T) {
	for _, c := range []struct {
		name   string
		mood   registrystub.Mood
		status []int // of one request after another; 0 = no answer
	}{
		{"a registry in a good mood serves its image", registrystub.Mood{}, []int{200, 200}},
		{"one that refuses goes on refusing", registrystub.Mood{Status: 401}, []int{401, 401}},
		{"one that limits its rate serves in the end", registrystub.Mood{Status: 429, Times: 2, RetryAfter: 3 * time.Second}, []int{429, 429, 200}},
		{"one that resets does not answer", registrystub.Mood{Reset: true, Times: 1}, []int{0, 200}},
		{"one that hangs does not answer", registrystub.Mood{Hang: true}, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := registrystub.New(c.mood)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for i, want := range c.status {
				got, after := ask(t, r, "manifests/latest")
				if got != want {
					t.Errorf("request %d is answered %d, want %d", i+1, got, want)
				}
				if want == 429 && after != "3" {
					t.Errorf("Retry-After is %q", after)
				}
			}
			if r.Requests() != len(c.status) {
				t.Errorf("%d requests are counted, want %d", r.Requests(), len(c.status))
			}
		})
	}
}

func ask(t *testing.T, r *registrystub.Registry, what string) (status int, after string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	base := strings.TrimSuffix(r.Ref("x"), ":latest")
	host, name, _ := strings.Cut(base, "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/v2/"+name+"/"+what, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header.Get("Retry-After")
}
