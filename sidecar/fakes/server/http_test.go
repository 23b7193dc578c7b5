package server_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

func TestRoutes(t *testing.T) {
	const form, js = "application/x-www-form-urlencoded", "application/json"
	for _, tt := range []struct {
		name, method, path, kind, body string
		status                         int
		tool, args                     string
	}{
		{"a path parameter has its declared type", "GET", "/v1/items/7", "", "", 200, "echo", `{"id":7}`},
		{"a path parameter of another type stays text", "GET", "/v1/items/abc", "", "", 200, "echo", `{"id":"abc"}`},
		{"text wins over a parameter", "GET", "/v1/items/newest", "", "", 200, "newest", `{}`},
		{"an escaped slash is part of a parameter", "GET", "/v1/items/a%2Fb", "", "", 200, "echo", `{"id":"a/b"}`},
		{"a query has its declared types", "GET", "/v1/items/7?limit=5&tags=1,2", "", "", 200, "echo", `{"id":7,"limit":5,"tags":[1,2]}`},
		{"an undeclared query value is kept", "GET", "/v1/items/7?x=1&y=a&y=b", "", "", 200, "echo", `{"id":7,"x":"1","y":["a","b"]}`},
		{"an object in the query is built", "GET", "/v1/items/7?filter[status]=open&filter[a][b]=c", "", "", 200, "echo", `{"filter":{"a":{"b":"c"},"status":"open"},"id":7}`},
		{"the path wins over the query", "GET", "/v1/items/7?id=8", "", "", 200, "echo", `{"id":7}`},
		{"HEAD is served as GET", "HEAD", "/v1/items/7", "", "", 200, "echo", `{"id":7}`},
		{"a body is merged", "POST", "/v1/items", js, `{"name":"x","price":1.50}`, 200, "echo", `{"name":"x","price":1.50}`},
		{"a body without a type is JSON", "POST", "/v1/items", "", `{"name":"x"}`, 200, "echo", `{"name":"x"}`},
		{"a vendor's JSON is JSON", "POST", "/v1/items", "application/vnd.shop+json; charset=utf-8", `{"name":"x"}`, 200, "echo", `{"name":"x"}`},
		{"a body that is a list is one argument", "POST", "/v1/items", js, `[1,2]`, 200, "echo", `{"body":[1,2]}`},
		{"a null body is one argument", "POST", "/v1/items", js, `null`, 200, "echo", `{"body":null}`},
		{"a form is merged", "POST", "/v1/items", form, `name=x&meta[a]=1&l[]=1&l[]=2`, 200, "echo", `{"l":["1","2"],"meta":{"a":"1"},"name":"x"}`},
		{"a broken body is no object", "POST", "/v1/items", js, `{"name":`, 200, "echo", `"{\"name\":"`},
		{"a body of an unknown type is no object", "POST", "/v1/items", "application/pdf", `%PDF`, 200, "echo", `"%PDF"`},
		{"no body is no argument", "POST", "/v1/items", js, ``, 200, "echo", `{}`},
		{"a parameter may have text round it", "POST", "/v1/items/7:cancel", js, `{"why":"late"}`, 200, "cancel", `{"id":"7","why":"late"}`},
		{"an unknown path is not found", "GET", "/v1/nothing?x=1", "", "", 404, "GET /v1/nothing", `{"x":"1"}`},
		{"a trailing slash is another path", "GET", "/v1/items/7/", "", "", 404, "GET /v1/items/7/", `{}`},
		{"an unknown method is not allowed", "PATCH", "/v1/items/7", js, `{"a":1}`, 405, "PATCH /v1/items/7", `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, url := serve(t)
			header := []string{}
			if tt.kind != "" {
				header = []string{"Content-Type", tt.kind}
			}
			res := send(t, tt.method, url+"/http/shop"+tt.path, tt.body, header...)
			if res.StatusCode != tt.status {
				t.Errorf("status %d, want %d", res.StatusCode, tt.status)
			}
			if tt.status == 405 && res.Header.Get("Allow") != "DELETE, GET" {
				t.Errorf("Allow: %q", res.Header.Get("Allow"))
			}
			if ct := res.Header.Get("Content-Type"); tt.tool != "newest" && tt.tool != "cancel" && ct != "application/json" {
				t.Errorf("content type %q", ct)
			}
			calls := w.journal()
			if len(calls) != 1 {
				t.Fatalf("journal: %+v", calls)
			}
			got := []string{calls[0].Server, calls[0].Tool, calls[0].Protocol, string(calls[0].Arguments)}
			if d := cmp.Diff([]string{"shop", tt.tool, "http", tt.args}, got); d != "" {
				t.Errorf("call (-want +got):\n%s", d)
			}
			if calls[0].Unmatched != (tt.status >= 400) {
				t.Errorf("unmatched: %v", calls[0].Unmatched)
			}
		})
	}
}

func TestDeclaredHeaderIsAnArgument(t *testing.T) {
	w, url := serve(t)
	send(t, "GET", url+"/http/shop/v1/items/7", "", "X-Key", "k1")
	if got := string(w.journal()[0].Arguments); got != `{"id":7,"key":"k1"}` {
		t.Errorf("arguments %s", got)
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	_, url := serve(t)
	t.Run("a dropped answer is no answer", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url+"/http/shop/v1/items/7", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{DisableKeepAlives: true}
		if res, err := transport.RoundTrip(req); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, %v", res, err)
		}
	})
	t.Run("a malformed answer is cut in the middle", func(t *testing.T) {
		if got := text(t, send(t, "GET", url+"/http/shop/v1/malformed", "")); got != `{"a":"012` {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a slow answer is late", func(t *testing.T) {
		start := time.Now()
		got := text(t, send(t, "GET", url+"/http/shop/v1/slow", ""))
		if d := time.Since(start); got != "late" || d < 50*time.Millisecond {
			t.Errorf("got %q after %v", got, d)
		}
	})
	t.Run("a panic is a 500", func(t *testing.T) {
		if res := send(t, "GET", url+"/http/shop/v1/panic", ""); res.StatusCode != 500 {
			t.Errorf("got %s", res.Status)
		}
	})
	t.Run("a refusal has a body and a status of 400", func(t *testing.T) {
		if res := send(t, "GET", url+"/http/shop/v1/refuse", ""); res.StatusCode != 400 || text(t, res) != "over the limit" {
			t.Errorf("got %s", res.Status)
		}
	})
}

func TestClientThatLeavesEndsADelay(t *testing.T) {
	w, url := serve(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /http/shop/v1/slower HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); len(w.journal()) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the call never arrived")
		}
		runtime.Gosched()
	}
	conn.Close() // the server's Close at the test's end waits for open requests, an hour if this one were still held
}

func TestHealth(t *testing.T) {
	s, err := server.New(server.Options{World: new(scripted), Servers: fakes()})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method string) int {
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, httptest.NewRequest(method, "/healthz", http.NoBody))
		return rec.Code
	}
	if got := ask("GET"); got != 503 {
		t.Errorf("before it is ready: %d", got)
	}
	s.SetReady()
	if got := []int{ask("GET"), ask("HEAD"), ask("POST")}; !cmp.Equal(got, []int{200, 200, 405}) {
		t.Errorf("when it is ready: %d", got)
	}
}

func TestAddressesOutsideTheFakes(t *testing.T) {
	w, url := serve(t)
	for _, path := range []string{"/", "/mcp", "/mcp/none", "/mcp/shop/more", "/http", "/control", "/freeze", "/step?name=x", "/status"} {
		if res := post(t, url+path, ""); res.StatusCode != 404 || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	if calls := w.journal(); len(calls) != 0 {
		t.Errorf("journal: %+v", calls)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	w, url := serve(t)
	if res := post(t, url+"/http/shoe/v1/items", `{}`); res.StatusCode != 404 {
		t.Errorf("got %s", res.Status)
	}
	if calls := w.journal(); len(calls) != 1 || calls[0].Server != "shoe" || calls[0].Tool != "POST /v1/items" || !calls[0].Unmatched {
		t.Errorf("journal: %+v", calls)
	}
}

func TestToolThatCannotBeShown(t *testing.T) {
	list := fakes()
	list[0].Tools[0].Input = []byte(`{"type":"string"}`)
	_, err := server.New(server.Options{World: new(scripted), Servers: list})
	var te *server.ToolError
	if !errors.As(err, &te) || te.Tool != "count" {
		t.Errorf("got %v", err)
	}
}
