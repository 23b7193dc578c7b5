package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These tests speak the protocol by hand, as its public text has it, so that the SDK does not check itself.

const acceptBoth = "application/json, text/event-stream"

func rpc(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	res := post(t, url+"/mcp/shop", body, append([]string{"Accept", acceptBoth, "Content-Type", "application/json"}, header...)...)
	return res.StatusCode, strings.TrimSpace(text(t, res))
}

func TestMCPByHand(t *testing.T) {
	const echo = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":ARGS}}`
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, tt := range []struct {
		name, body string
		header     []string
		status     int
		want       string // a part of the answer
	}{
		{"a call without a handshake is served", strings.Replace(echo, "ARGS", `{"n":1}`, 1), nil, 200, `{\"n\":1}`},
		{"arguments arrive byte for byte", strings.Replace(echo, "ARGS", `{"z":1.50,"a":1e2,"n":12345678901234567890}`, 1), nil, 200, `{\"z\":1.50,\"a\":1e2,\"n\":12345678901234567890}`},
		{"arguments that are a list reach the world", strings.Replace(echo, "ARGS", `[1]`, 1), nil, 200, `[1]`},
		{"no arguments are an empty object", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}`, nil, 200, `"text":"{}"`},
		{"a known revision's header is taken", strings.Replace(echo, "ARGS", `{}`, 1), []string{"MCP-Protocol-Version", "2025-06-18"}, 200, `"text":"{}"`},
		{"an unknown old revision is refused", strings.Replace(echo, "ARGS", `{}`, 1), []string{"MCP-Protocol-Version", "2023-01-01"}, 400, ""},
		{"a notification is accepted", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"ping is answered", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil, 200, `"result":{}`},
		{"an unknown method is refused", `{"jsonrpc":"2.0","id":1,"method":"tools/none"}`, nil, 400, "tools/none"},
		{"a body that is no JSON is refused", `{"jsonrpc":`, nil, 400, ""},
		{"an empty body is refused", ``, nil, 400, ""},
		{"a foreign web page is refused", strings.Replace(echo, "ARGS", `{}`, 1), []string{"Origin", "https://evil.example"}, 403, ""},
		{"the stateless revision discovers", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`,
			[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover"}, 200, `"resultType":"complete"`},
		{"the stateless revision calls", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":2},` + meta + `}}`,
			[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo"}, 200, `{\"n\":2}`},
		{"the stateless revision wants headers that agree", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":2},` + meta + `}}`,
			[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "count"}, 400, "-32020"},
		{"the stateless revision has no initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + meta + `}}`,
			[]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "initialize"}, 404, "-32601"},
		{"a future revision is refused by name", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(meta, "2026-07-28", "2031-01-01", 1) + `}}`,
			[]string{"MCP-Protocol-Version", "2031-01-01", "Mcp-Method", "tools/list"}, 400, "-32022"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, url := serve(t)
			status, got := rpc(t, url, tt.body, tt.header...)
			if status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("got %d %s\nwant %d with %s", status, got, tt.status, tt.want)
			}
		})
	}
}

func TestInitializeNegotiates(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2099-01-01": "2025-11-25"} {
		_, url := serve(t)
		status, got := rpc(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if status != 200 || !strings.Contains(got, `"protocolVersion":"`+want+`"`) {
			t.Errorf("asked for %s: got %d %s", asked, status, got)
		}
	}
}

func TestOtherMethodsOfMCP(t *testing.T) {
	_, url := serve(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		if res := send(t, method, url+"/mcp/shop", "", "Accept", acceptBoth); res.StatusCode != 405 || res.Header.Get("Allow") == "" {
			t.Errorf("%s: got %s, Allow %q", method, res.Status, res.Header.Get("Allow"))
		}
	}
	if res := post(t, url+"/mcp/none", "{}"); res.StatusCode != 404 {
		t.Errorf("an unknown server answers %s", res.Status)
	}
}

func TestBatch(t *testing.T) {
	w, url := serve(t)
	var parts []string
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		parts = append(parts, `{"jsonrpc":"2.0","id":`+n+`,"method":"tools/call","params":{"name":"echo","arguments":{"n":`+n+`}}}`)
	}
	parts = append(parts, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":9,"method":"none"}`)
	status, got := rpc(t, url, "["+strings.Join(parts, ",")+"]")
	var answers []struct {
		ID    int             `json:"id"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal([]byte(got), &answers); status != 200 || err != nil {
		t.Fatalf("got %d %s (%v)", status, got, err)
	}
	var ids []int
	for _, a := range answers {
		ids = append(ids, a.ID)
	}
	if d := cmp.Diff([]int{1, 2, 3, 4, 5, 9}, ids); d != "" || answers[5].Error == nil {
		t.Errorf("answers (-want +got):\n%s\n%s", d, got)
	}
	var order []string
	for _, c := range w.journal() {
		order = append(order, string(c.Arguments))
	}
	if d := cmp.Diff([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`, `{"n":5}`}, order); d != "" {
		t.Errorf("journal (-want +got):\n%s", d)
	}
	if status, _ := rpc(t, url, "["+parts[0]+"]", "MCP-Protocol-Version", "2025-06-18"); status != 400 {
		t.Errorf("a later revision took a batch: %d", status)
	}
	if status, _ := rpc(t, url, "["+strings.Repeat(parts[5]+",", 1000)+parts[5]+"]"); status != 400 {
		t.Errorf("a huge batch got %d", status)
	}
	if status, _ := rpc(t, url, "["+parts[5]+"]"); status != 202 {
		t.Errorf("a batch of notifications got %d", status)
	}
}

func TestBodyOverTheLimit(t *testing.T) {
	_, url := serve(t)
	big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"s":"` + strings.Repeat("a", 8<<20) + `"}}}`
	if status, _ := rpc(t, url, big); status != 413 {
		t.Errorf("got %d", status)
	}
	if status, _ := rpc(t, url, big, "MCP-Protocol-Version", "2025-11-25"); status != 413 {
		t.Errorf("without batches: got %d", status)
	}
	if res := post(t, url+"/http/shop/v1/items", big); res.StatusCode != 413 {
		t.Errorf("plain HTTP: got %d", res.StatusCode)
	}
}
