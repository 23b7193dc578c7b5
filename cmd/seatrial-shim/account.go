//go:build linux

package main

import (
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/account"
)

// resolve finds what a user string means in this container.
func resolve(spec string) (account.Identity, error) {
	current := account.Identity{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
	return account.Resolve(spec, current,
		account.ParseUsers(readAccounts("/etc/passwd")), account.ParseGroups(readAccounts("/etc/group")))
}

// maxAccounts bounds what is read of an image's account files.
const maxAccounts = 8 << 20

// readAccounts returns a file's text, which is empty if there is none.
func readAccounts(file string) string {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(f, maxAccounts))
	if err != nil {
		return ""
	}
	return string(b)
}

// sameUser says whether this process already has the identity's user and group.
func sameUser(id account.Identity) bool {
	return int(id.UID) == os.Geteuid() && int(id.GID) == os.Getegid() &&
		int(id.UID) == os.Getuid() && int(id.GID) == os.Getgid()
}

// sameGroups says whether it has the supplementary groups too; the primary one counts among them for either.
func sameGroups(id account.Identity) bool {
	have, err := os.Getgroups()
	if err != nil {
		return false
	}
	want := []int{int(id.GID)}
	for _, g := range id.Groups {
		want = append(want, int(g))
	}
	have = append(have, os.Getegid())
	slices.Sort(want)
	slices.Sort(have)
	return slices.Equal(slices.Compact(want), slices.Compact(have))
}

// own gives prepared folders to the command's user.
func (j *job) own() error {
	for _, op := range j.spec.Prepare {
		if !op.Own || j.spec.User == "" {
			continue
		}
		id, err := resolve(j.spec.User)
		if err != nil {
			return nil //nolint:nilerr // the start says so better
		}
		if err := os.Lchown(op.Path, int(id.UID), int(id.GID)); err != nil {
			return err
		}
	}
	return nil
}
