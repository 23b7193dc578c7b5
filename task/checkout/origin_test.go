package checkout_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/task/checkout"
)

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://Example.com/a/b.git":   "https://example.com/a/b.git",
		"http://127.0.0.1:8080/a.git/":  "http://127.0.0.1:8080/a.git",
		"file:///srv/a.git":             "/srv/a.git",
		"file://localhost/srv/../a.git": "/a.git",
		"/srv/a":                        "/srv/a",
		"../a.git":                      "/base/a.git",
		"./odd:name":                    "/base/dir/odd:name",
	} {
		o, err := checkout.ParseOrigin(text, "/base/dir")
		if err != nil || o.URL != want || o.Local != filepath.IsAbs(want) {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	for text, want := range map[string]string{
		"":                                  "empty",
		"git@github.com:a/b.git":            "ssh would use your keys",
		"host:a/b.git":                      "ssh would use your keys",
		"ssh://git@github.com/a/b":          "ssh would use your keys",
		"git://github.com/a/b":              "want http, https, file or a path",
		"ext::sh -c x":                      "ssh would use your keys",
		"https://":                          "names no host",
		"https://user:secret@example.com/a": "ends up in records",
		"https://example.com/a?x=1":         "query",
		"file://elsewhere/a":                "want file:///path",
		"https://exa mple.com/a":            "no address",
		"/a\x00b":                           "control characters",
	} {
		o, err := checkout.ParseOrigin(text, "/base")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v, %v", text, o, err)
		}
	}
}

func TestPlace(t *testing.T) {
	for url, want := range map[string]string{"https://example.com/a/b.git": "example.com/a/b", "/srv/x": "srv/x", "https://example.com/../../x": "x"} {
		if got := (&checkout.Origin{URL: url}).Place(); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestParseCommitAndPath(t *testing.T) {
	if c, err := checkout.ParseCommit(strings.Repeat("aB", 20)); err != nil || c != strings.Repeat("ab", 20) {
		t.Errorf("%s, %v", c, err)
	}
	for _, text := range []string{"", "main", "abc1234", strings.Repeat("a", 41), strings.Repeat("g", 40), strings.Repeat("0", 40), strings.Repeat("a", 40) + "\n"} {
		if c, err := checkout.ParseCommit(text); err == nil {
			t.Errorf("%q: %s", text, c)
		}
	}
	for text, want := range map[string]string{".": ".", "a/b/": "a/b", "a/../b": "b", "./a": "a"} {
		if p, err := checkout.ParsePath(text); err != nil || p != want {
			t.Errorf("%q: %s, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "/a", "../a", "a/../../b", `a\b`, "a\x00"} {
		if p, err := checkout.ParsePath(text); err == nil {
			t.Errorf("%q: %s", text, p)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, s := range []string{"https://example.com/a.git", "git@x:y", "file:///a", "../a", "https://u:p@h/x", "://", "http://[::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := checkout.ParseOrigin(text, "/base")
		if err != nil {
			return
		}
		if o.Local != filepath.IsAbs(o.URL) || !o.Local && !strings.HasPrefix(o.URL, "http") {
			t.Fatalf("%q became %+v", text, o)
		}
		if p := o.Place(); filepath.IsAbs(p) || strings.HasPrefix(p, "../") {
			t.Fatalf("%q has the place %q", text, p)
		}
		if again, err := checkout.ParseOrigin(o.URL, "/"); err != nil || *again != *o {
			t.Fatalf("%q became %+v and then %+v, %v", text, o, again, err)
		}
	})
}
