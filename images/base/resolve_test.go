package base_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images/base"
)

// stanza writes a package of an index; more are whole lines.
func stanza(name, version string, more ...string) string {
	return fmt.Sprintf("Package: %s\nVersion: %s\nFilename: pool/%s.deb\nSize: 1\nSHA256: %064d\n%s\n\n",
		name, version, name, 0, strings.Join(more, "\n"))
}

func index(t testing.TB, stanzas ...string) *base.Index {
	t.Helper()
	x := base.NewIndex()
	if err := x.Read(strings.NewReader(strings.Join(stanzas, "")), "http://mirror/debian"); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestResolve(t *testing.T) {
	tests := []struct {
		name    string
		index   []string
		wanted  []string
		want    []string
		missing string
	}{
		{
			name:   "dependencies of dependencies come along",
			index:  []string{stanza("aa", "1", "Depends: bb (>= 1)"), stanza("bb", "1", "Pre-Depends: cc:any"), stanza("cc", "1"), stanza("dd", "1")},
			wanted: []string{"aa"}, want: []string{"aa", "bb", "cc"},
		},
		{
			name:   "a circle of dependencies ends",
			index:  []string{stanza("aa", "1", "Depends: bb"), stanza("bb", "1", "Depends: aa")},
			wanted: []string{"aa"}, want: []string{"aa", "bb"},
		},
		{
			name:   "the first alternative is taken",
			index:  []string{stanza("aa", "1", "Depends: bb | cc"), stanza("bb", "1"), stanza("cc", "1")},
			wanted: []string{"aa"}, want: []string{"aa", "bb"},
		},
		{
			name:   "an alternative that is wanted anyhow is enough",
			index:  []string{stanza("aa", "1", "Depends: bb | cc"), stanza("bb", "1"), stanza("cc", "1")},
			wanted: []string{"aa", "cc"}, want: []string{"aa", "cc"},
		},
		{
			name:   "an alternative that does not exist is passed over",
			index:  []string{stanza("aa", "1", "Depends: bb | cc"), stanza("cc", "1")},
			wanted: []string{"aa"}, want: []string{"aa", "cc"},
		},
		{
			name:   "a package that provides the name is enough, the more important first",
			index:  []string{stanza("aa", "1", "Depends: awk"), stanza("gawk", "1", "Provides: awk", "Priority: optional"), stanza("mawk", "1", "Provides: awk (= 1)", "Priority: required")},
			wanted: []string{"aa"}, want: []string{"aa", "mawk"},
		},
		{
			name:   "a provided name that is there already is not sought again",
			index:  []string{stanza("aa", "1", "Depends: awk"), stanza("gawk", "1", "Provides: awk"), stanza("mawk", "1", "Provides: awk", "Priority: required")},
			wanted: []string{"aa", "gawk"}, want: []string{"aa", "gawk"},
		},
		{
			name:   "a dependency that nothing meets is a fault",
			index:  []string{stanza("aa", "1", "Depends: bb (>= 2) | cc")},
			wanted: []string{"aa"}, missing: "bb | cc",
		},
		{name: "a wish that does not exist is a fault", wanted: []string{"zz"}, missing: "zz"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, err := base.Resolve(index(t, tt.index...), tt.wanted...)
			var fault *base.MissingPackageError
			if errors.As(err, &fault) != (tt.missing != "") || fault != nil && fault.Wanted != tt.missing {
				t.Fatalf("error %v, want %q missing", err, tt.missing)
			}
			var got []string
			for _, p := range all {
				got = append(got, p.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	x := index(t, stanza("aa", "1", "Essential: yes", "Provides: virtual"), stanza("bb", "1", "Priority: required"), stanza("cc", "1"))
	if got, want := x.Base(), []string{"aa", "apt", "bb"}; !slices.Equal(got, want) {
		t.Errorf("base %v, want %v", got, want)
	}
	for _, update := range []string{"2", "1.5"} {
		if err := x.Read(strings.NewReader(stanza("aa", update)), "http://security"); err != nil {
			t.Fatal(err)
		}
	}
	if p := x.Find("aa"); p.Version != "2" || p.Archive != "http://security" {
		t.Errorf("found %s from %s, want the highest version", p.Version, p.Archive)
	}
	if p := x.Providers("virtual"); len(p) != 0 {
		t.Errorf("the old version still provides: %v", p)
	}
}

func TestIndexRefuses(t *testing.T) {
	tests := map[string]string{
		"a name that leads elsewhere":     stanza("../../etc/passwd", "1"),
		"a path that leads elsewhere":     strings.Replace(stanza("aa", "1"), "pool/aa.deb", "../aa.deb", 1),
		"an absolute path":                strings.Replace(stanza("aa", "1"), "pool/aa.deb", "/aa.deb", 1),
		"a digest that is none":           strings.Replace(stanza("aa", "1"), "SHA256: 0", "SHA256: x", 1),
		"a size below nothing":            strings.Replace(stanza("aa", "1"), "Size: 1", "Size: -1", 1),
		"a size beyond all packages":      strings.Replace(stanza("aa", "1"), "Size: 1", "Size: 99999999999999", 1),
		"a paragraph without a file name": "Package: aa\nSize: 1\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var fault *base.FormatError
			if err := base.NewIndex().Read(strings.NewReader(text), ""); !errors.As(err, &fault) {
				t.Errorf("got %v, want a FormatError", err)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("bb | cc (>= 1), dd:any", "virtual (= 1), x")
	f.Add(",|,", "|")
	f.Add("aa", "aa")
	f.Fuzz(func(t *testing.T, depends, provides string) {
		line := strings.NewReplacer("\n", " ", "\r", " ")
		text := stanza("aa", "1", "Depends: "+line.Replace(depends), "Provides: "+line.Replace(provides)) + stanza("bb", "1", "Depends: aa")
		x := base.NewIndex()
		if err := x.Read(strings.NewReader(text), ""); err != nil {
			t.Skip()
		}
		all, err := base.Resolve(x, "aa")
		if err == nil && !slices.ContainsFunc(all, func(p *base.Package) bool { return p.Name == "aa" }) {
			t.Error("what was wanted is not among it")
		}
	})
}
