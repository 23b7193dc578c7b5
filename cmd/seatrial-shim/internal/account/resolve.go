package account

import (
	"slices"
	"strings"
)

// Identity is what a process of a user runs as.
type Identity struct {
	UID    uint32
	GID    uint32
	Groups []uint32 // supplementary ones, with GID among them
	Home   string   // never empty
}

// UnknownError says that a container has no such user or group.
type UnknownError struct {
	// What is "user" or "group".
	What string
	Name string
}

// Error names what is missing.
func (e *UnknownError) Error() string {
	file := "/etc/passwd"
	if e.What == "group" {
		file = "/etc/group"
	}
	return "there is no " + e.What + " " + quote(e.Name) + " in the container's " + file +
		"; create it in the image, or use a numeric id"
}

// Resolve finds what spec ("user", "uid", "user:group", "uid:gid") means among users and groups, in the way of the engine
// (moby/sys/user, GetExecUser): a number is always an id and needs no entry, the group is then 0 and the home "/"; a user that
// has an entry gets all groups that list it, unless a group is named, which is then the only one. An empty user part
// means current. A name without an entry gives an *UnknownError.
func Resolve(spec string, current Identity, users []User, groups []Group) (Identity, error) {
	userPart, groupPart, _ := strings.Cut(spec, ":")
	id, name, err := resolveUser(userPart, current, users)
	if err != nil {
		return Identity{}, err
	}
	if groupPart != "" {
		gid, err := resolveGroup(groupPart, groups)
		if err != nil {
			return Identity{}, err
		}
		id.GID, id.Groups = gid, []uint32{gid}
		return id, nil
	}
	id.Groups = append(id.Groups, id.GID)
	for _, g := range groups {
		if name != "" && slices.Contains(g.Members, name) && !slices.Contains(id.Groups, g.GID) {
			id.Groups = append(id.Groups, g.GID)
		}
	}
	return id, nil
}

func resolveUser(part string, current Identity, users []User) (id Identity, name string, err error) {
	uid, numeric := parseID(part)
	if part == "" {
		uid, numeric = current.UID, true
	}
	for _, u := range users {
		if (numeric && u.UID == uid) || (!numeric && u.Name == part) {
			return Identity{UID: u.UID, GID: u.GID, Home: homeOr(u.Home)}, u.Name, nil
		}
	}
	switch {
	case part == "":
		return Identity{UID: current.UID, GID: current.GID, Home: "/"}, "", nil
	case numeric:
		return Identity{UID: uid, Home: "/"}, "", nil
	default:
		return Identity{}, "", &UnknownError{What: "user", Name: part}
	}
}

func resolveGroup(part string, groups []Group) (uint32, error) {
	gid, numeric := parseID(part)
	if numeric {
		return gid, nil
	}
	for _, g := range groups {
		if g.Name == part {
			return g.GID, nil
		}
	}
	return 0, &UnknownError{What: "group", Name: part}
}

func homeOr(home string) string {
	if home == "" {
		return "/"
	}
	return home
}

func quote(s string) string { return `"` + strings.ToValidUTF8(s, "?") + `"` }
