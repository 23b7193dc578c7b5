package spec

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// Load reads the servers that are declared in dir, each in a folder with a fake.toml or fake.yaml. Other files in dir
// are left alone. The error is Problems when something in the files is wrong; the Fakes are those that could be read
// even so, and Check gives the same problems and further ones.
func Load(dir string) (*Fakes, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the fakes: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("listing the folder of the fakes: %w", err)
	}
	f := &Fakes{}
	r := &reader{root: root, left: maxAll}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case entry.Type()&fs.ModeSymlink != 0:
			r.wrong(Place{File: name}, "this is a link; links are not followed")
		case !entry.IsDir():
		case len(f.Servers) == maxServers:
			r.wrong(Place{File: name}, "there are more than %d servers", maxServers)
			return f, r.problems.err()
		default:
			if s := r.server(name); s != nil {
				f.Servers = append(f.Servers, s)
			}
		}
	}
	if len(f.Servers) == 0 && len(r.problems) == 0 {
		r.wrong(Place{}, "no server is declared; a server is a folder with a fake.toml")
	}
	f.problems = r.problems
	return f, r.problems.err()
}

// declaration reads the one fake.toml or fake.yaml of a folder.
func (r *reader) declaration(folder string) *tree.Node {
	var found []string
	for _, name := range []string{"fake.toml", "fake.yaml", "fake.yml"} {
		if _, err := r.root.Lstat(path.Join(folder, name)); err == nil {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		r.wrong(Place{File: folder}, "this folder declares no server: it has neither fake.toml nor fake.yaml")
		return nil
	case 1:
	default:
		r.wrong(Place{File: folder}, "this folder has %s; keep one of them", strings.Join(found, " and "))
		return nil
	}
	name := path.Join(folder, found[0])
	data, err := r.file(name, maxDeclaration)
	if err != nil {
		r.wrong(Place{File: name}, "%v", err)
		return nil
	}
	return r.parse(name, data)
}

// validName matches the names of servers, which stand in addresses.
func validName(s string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`).MatchString(s)
}
