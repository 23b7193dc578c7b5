package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestFromEnv(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	usual := server.Config{Scenario: "s", Manifests: "/fakes/manifests", Out: "/fakes/out", Control: "/fakes/control.sock", Listen: ":8000", Now: start}
	all := server.Config{Scenario: "s", Manifests: "/m", Out: "/o", Control: "/c", Listen: ":1", Now: start.Add(8 * time.Hour), Seed: -7, Servers: []string{"a", "b"}}
	for _, tt := range []struct {
		name string
		env  []string
		want server.Config
	}{
		{"a scenario is enough", []string{"FAKES_SCENARIO", "s"}, usual},
		{"empty values are as if not set", []string{"FAKES_SCENARIO", "s", "FAKES_SEED", "", "FAKES_NOW", "", "FAKES_OUT", "", "FAKES_SERVERS", " , "}, usual},
		{"everything can be said", []string{"FAKES_SCENARIO", "s", "FAKES_SEED", "-7", "FAKES_NOW", "2026-01-01T09:00:00+01:00", "FAKES_SERVERS", "a, b",
			"FAKES_MANIFESTS", "/m", "FAKES_OUT", "/o", "FAKES_CONTROL", "/c", "FAKES_LISTEN", ":1"}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := server.FromEnv(env(tt.env...))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	t.Run("all that is wrong is said at once", func(t *testing.T) {
		_, err := server.FromEnv(env("FAKES_SEED", "1.5", "FAKES_NOW", "today"))
		var ce *server.ConfigError
		if !errors.As(err, &ce) || len(ce.Problems) != 3 {
			t.Errorf("got %v", err)
		}
	})
}

func TestLiveLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    world.Call
		a    world.Answer
		want string
	}{
		{"a write that succeeds", world.Call{Server: "shop", Tool: "buy", Arguments: []byte(`{"n":1}`)},
			world.Answer{Seq: 12, Outcome: world.OutcomeOK, Write: true, Text: "done"}, `    12  ok         W shop buy {"n":1}`},
		{"a tool that is not there", world.Call{Server: "shop", Tool: "bye", Arguments: []byte(`{}`)},
			world.Answer{Seq: 3, Outcome: world.OutcomeUnmatched, Nearest: "buy", Message: "no such tool"}, `     3  unmatched    shop bye {}  (nearest: buy)  -- no such tool`},
		{"a fault", world.Call{Server: "shop", Tool: "buy", Arguments: []byte(`{}`)}, world.Answer{Seq: 4, Outcome: world.OutcomeFault, Fault: "drop"},
			`     4  fault        shop buy {}  [drop]`},
		{"controls of the terminal are taken out", world.Call{Server: "shop", Tool: "a\x1b[2J\nb", Arguments: []byte(`{}`)},
			world.Answer{Outcome: world.OutcomeOK}, `     0  ok           shop a [2J b {}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimRight(server.LiveLine(tt.c, tt.a), " "); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
