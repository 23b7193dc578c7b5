package orchestrator_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seatrial/seatrial/orchestrator"
)

func TestMCPServersAreOfTheTrialsOwnStack(t *testing.T) {
	for _, c := range []struct {
		name, url string
		external  bool
		ok        bool
	}{
		{"a service of the stack", "http://store:8000/mcp", false, true},
		{"the agent's own container", "http://main:8000/mcp", false, true},
		{"the container itself", "http://localhost:9/mcp", false, true},
		{"a deployed one", "https://mcp.example.com/mcp", false, false},
		{"a deployed one that is allowed", "https://mcp.example.com/mcp", true, true},
		{"one that only looks like a service", "http://store.example.com/mcp", false, false},
		{"one behind a user name", "http://store@example.com/mcp", false, false},
		{"an address", "http://10.0.0.7/mcp", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			copyTask(t, "beside", dir, "[environment.healthcheck]", "[[environment.mcp_servers]]\nname = \"tools\"\ntransport = \"http\"\nurl = \""+c.url+"\"\n\n[environment.healthcheck]")
			jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options(func(o *orchestrator.Options) { o.AllowExternal = c.external }))
			if err != nil {
				t.Fatal(err)
			}
			if (jobs[0].Err == nil) != c.ok {
				t.Fatalf("error %v", jobs[0].Err)
			}
			var u *orchestrator.UnsupportedError
			if !c.ok && (!errors.As(jobs[0].Err, &u) || u.Line == 0 || !strings.Contains(u.Error(), "--allow-external-endpoints")) {
				t.Errorf("error %v", jobs[0].Err)
			}
		})
	}
}

func TestTheAgentIsToldOfMCPServers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	copyTask(t, "beside", dir, "[environment.healthcheck]", "[[environment.mcp_servers]]\nname = \"tools\"\ntransport = \"http\"\nurl = \"http://store:8000/mcp\"\n\n[environment.healthcheck]")
	synctest.Test(t, func(t *testing.T) {
		jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options(command("work")))
		if err != nil || jobs[0].Err != nil {
			t.Fatal(err, jobs[0].Err)
		}
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		h.play(t.Context(), t, jobs[0].Plan)
		for _, cmd := range h.eng.all[0].commands("sh") {
			text, ok := cmd.Env["SEATRIAL_MCP_SERVERS"]
			if !ok {
				continue
			}
			var got []map[string]any
			if err := json.Unmarshal([]byte(text), &got); err != nil || len(got) != 1 || got[0]["name"] != "tools" || got[0]["url"] != "http://store:8000/mcp" || got[0]["transport"] != "streamable-http" {
				t.Errorf("SEATRIAL_MCP_SERVERS = %s, %v", text, err)
			}
			return
		}
		t.Error("no command was told of the servers")
	})
}
