// Package account reads a container's /etc/passwd and /etc/group and finds the ids that a user string means there.
package account

import (
	"slices"
	"strconv"
	"strings"
)

// User is a line of /etc/passwd.
type User struct {
	Name string
	UID  uint32
	GID  uint32
	Home string
}

// Group is a line of /etc/group.
type Group struct {
	Name    string
	GID     uint32
	Members []string
}

// ParseUsers reads the text of an /etc/passwd (passwd(5)). Lines without a name or with an id that is not a number are left out:
// reading such an id as 0 would make a user root.
func ParseUsers(text string) []User {
	var users []User
	for f := range fields(text, 7) {
		uid, ok1 := parseID(f[2])
		gid, ok2 := parseID(f[3])
		if f[0] == "" || !ok1 || !ok2 {
			continue
		}
		users = append(users, User{Name: f[0], UID: uid, GID: gid, Home: f[5]})
	}
	return users
}

// ParseGroups reads the text of an /etc/group (group(5)). Lines without a name or with an id that is not a number are left out.
func ParseGroups(text string) []Group {
	var groups []Group
	for f := range fields(text, 4) {
		gid, ok := parseID(f[2])
		if f[0] == "" || !ok {
			continue
		}
		members := strings.Split(f[3], ",")
		members = slices.DeleteFunc(members, func(m string) bool { return m == "" })
		groups = append(groups, Group{Name: f[0], GID: gid, Members: members})
	}
	return groups
}

// fields yields each line's n fields; missing ones are empty.
func fields(text string, n int) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			f := strings.SplitN(line, ":", n)
			for len(f) < n {
				f = append(f, "")
			}
			if !yield(f) {
				return
			}
		}
	}
}

// maxID is the largest id that the engine accepts.
const maxID = 1<<31 - 1

func parseID(s string) (uint32, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n <= maxID
}
