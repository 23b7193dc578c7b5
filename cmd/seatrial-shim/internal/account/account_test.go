package account_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/account"
)

const passwd = `root:x:0:0:root:/root:/bin/sh
# a comment
dev:x:1000:1000:Dev,,,:/home/dev:/bin/bash
1001:x:7:7::/odd:
bad:x:zero:0::/:
neg:x:-1:0::/:
huge:x:4294967295:0::/:
:x:5:5::/:
short:x:6:6
nohome:x:8:8::
+::::::
`

const group = `root:x:0:
wheel:x:10:root,dev
dev:x:1000:
docker:x:999:other,dev,
bad:x:none:dev
twice:x:10:dev
`

func TestParseUsers(t *testing.T) {
	t.Parallel()
	want := []account.User{
		{Name: "root", Home: "/root"},
		{Name: "dev", UID: 1000, GID: 1000, Home: "/home/dev"},
		{Name: "1001", UID: 7, GID: 7, Home: "/odd"},
		{Name: "short", UID: 6, GID: 6},
		{Name: "nohome", UID: 8, GID: 8},
	}
	if d := cmp.Diff(want, account.ParseUsers(passwd)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	current := account.Identity{UID: 1000, GID: 1000}
	for _, c := range []struct {
		name string
		spec string
		want account.Identity
	}{
		{"a user has all groups that list it", "dev", account.Identity{UID: 1000, GID: 1000, Groups: []uint32{1000, 10, 999}, Home: "/home/dev"}},
		{"an id with an entry is that user", "1000", account.Identity{UID: 1000, GID: 1000, Groups: []uint32{1000, 10, 999}, Home: "/home/dev"}},
		{"a named group is the only one", "dev:wheel", account.Identity{UID: 1000, GID: 10, Groups: []uint32{10}, Home: "/home/dev"}},
		{"an id without an entry has group 0", "4242", account.Identity{UID: 4242, Groups: []uint32{0}, Home: "/"}},
		{"ids need no entries", "4242:4343", account.Identity{UID: 4242, GID: 4343, Groups: []uint32{4343}, Home: "/"}},
		{"a number is an id even where a user has it for a name", "1001", account.Identity{UID: 1001, Groups: []uint32{0}, Home: "/"}},
		{"an empty user is the current one", ":wheel", account.Identity{UID: 1000, GID: 10, Groups: []uint32{10}, Home: "/home/dev"}},
		{"an empty group is none", "dev:", account.Identity{UID: 1000, GID: 1000, Groups: []uint32{1000, 10, 999}, Home: "/home/dev"}},
		{"an empty home is /", "nohome", account.Identity{UID: 8, GID: 8, Groups: []uint32{8}, Home: "/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := account.Resolve(c.spec, current, account.ParseUsers(passwd), account.ParseGroups(group))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestResolveUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spec, what, name string }{
		{"nobody", "user", "nobody"},
		{"bad", "user", "bad"},
		{"-1", "user", "-1"},
		{"4294967295", "user", "4294967295"},
		{"dev:none", "group", "none"},
		{"dev:bad", "group", "bad"},
		{"a:b:c", "user", "a"},
	} {
		_, err := account.Resolve(c.spec, account.Identity{}, account.ParseUsers(passwd), account.ParseGroups(group))
		unknown := new(account.UnknownError)
		if !errors.As(err, &unknown) || unknown.What != c.what || unknown.Name != c.name {
			t.Errorf("%q: %v", c.spec, err)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("dev:wheel", passwd, group)
	f.Add("0", "", "")
	f.Add("x:", "x:::", "x:x:1:x")
	f.Fuzz(func(t *testing.T, spec, passwd, group string) {
		users := account.ParseUsers(passwd)
		id, err := account.Resolve(spec, account.Identity{UID: 77}, users, account.ParseGroups(group))
		if err != nil {
			return
		}
		if id.Home == "" || !slices.Contains(id.Groups, id.GID) {
			t.Errorf("%+v", id)
		}
		if id.UID == 0 && spec != "" && spec[0] != '0' && !slices.ContainsFunc(users, func(u account.User) bool { return u.UID == 0 }) {
			t.Errorf("%q became root", spec)
		}
	})
}
