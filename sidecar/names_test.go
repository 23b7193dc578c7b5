package sidecar_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
)

var (
	dnsLabel = regexp.MustCompile(`^seatrial-[a-z0-9][a-z0-9._-]*[a-z0-9]$`)
	slugged  = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)
)

func TestSlug(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain text stays", "hello-world.1_x", 40, "hello-world.1_x"},
		{"capitals are folded", "Hello", 40, "hello"},
		{"a slash becomes a dash", "org/name", 40, "org-name"},
		{"it begins with a letter or digit", "../../etc", 40, "etc"},
		{"it ends with one", "x--", 40, "x"},
		{"nothing becomes something", "", 40, "x"},
		{"signs alone become something", "日本/..", 40, "x"},
		{"it is cut", strings.Repeat("a", 50), 10, strings.Repeat("a", 10)},
		{"a cut does not end in a dash", "aaaa-bbbb", 5, "aaaa"},
		{"a letter that folds to several bytes", "İstanbul", 40, "istanbul"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sidecar.Slug(c.in, c.limit); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("org/name", 10)
	f.Add("İ-ß", 3)
	f.Add("..", 1)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 1 || limit > 300 {
			t.Skip()
		}
		got := sidecar.Slug(s, limit)
		if !slugged.MatchString(got) || len(got) > limit {
			t.Errorf("Slug(%q, %d) = %q", s, limit, got)
		}
		if again := sidecar.Slug(got, limit); again != got {
			t.Errorf("%q became %q the second time", got, again)
		}
	})
}

func TestObjectNames(t *testing.T) {
	long := strings.Repeat("very-long-task-name-", 5)
	for _, c := range []struct{ name, trial, part string }{
		{"a short one", "hello-1a2b3c4d", "main"},
		{"a long trial", long + "1a2b3c4d", "main"},
		{"a long part", "hello-1a2b3c4d", strings.Repeat("part-", 20)},
		{"both", long + "1a2b3c4d", strings.Repeat("part-", 20)},
		{"capitals", "Hello-1a2b3c4d", "Main_DB"},
		{"odd signs", "hello-1a2b3c4d", "日本"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sidecar.ObjectName(c.trial, c.part)
			if len(got) > 63 || !dnsLabel.MatchString(got) {
				t.Errorf("%q (%d bytes) is no name", got, len(got))
			}
			if !strings.Contains(got, "1a2b3c4d") {
				t.Errorf("%q has lost the trial's random part", got)
			}
		})
	}
}

func TestPartsOfOneTrialNeverShareAName(t *testing.T) {
	parts := []string{"main", "Main", "MAIN", "a b", "a-b", "a_b", "a/b", "n-default", "v-default", "logs-agent", "v-logs-agent", "", "x", "日", "本"}
	for i := range 30 {
		parts = append(parts, fmt.Sprintf("%s-%d", strings.Repeat("p", 24), i))
	}
	seen := map[string]string{}
	for _, p := range parts {
		name := sidecar.ObjectName("hello-1a2b3c4d", p)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", p, other, name)
		}
		seen[name] = p
	}
}

func FuzzObjectName(f *testing.F) {
	f.Add("hello-1a2b3c4d", "main")
	f.Add(strings.Repeat("x", 100)+"-1a2b3c4d", strings.Repeat("y", 100))
	f.Fuzz(func(t *testing.T, trial, part string) {
		if got := sidecar.ObjectName(trial, part); len(got) > 63 || !dnsLabel.MatchString(got) {
			t.Errorf("ObjectName(%q, %q) = %q", trial, part, got)
		}
	})
}

func TestRandomIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range []int{1, 7, 8, 16} {
		if id := sidecar.RandomID(n); len(id) != n || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("RandomID(%d) = %q", n, id)
		}
	}
	for range 1000 {
		id := sidecar.RandomID(16)
		if seen[id] {
			t.Fatalf("%s came twice", id)
		}
		seen[id] = true
	}
}
