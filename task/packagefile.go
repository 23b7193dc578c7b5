package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// PackageName is the file that may say where the parts of a suite lie; maxPackage is the most bytes of it.
const (
	PackageName = "package.json"
	maxPackage  = 1 << 20
)

// PackageProblem is one thing that is wrong with pi.evals in package.json.
type PackageProblem struct {
	// Key is its path, such as "pi.evals.cases"; empty when it is about the whole file.
	Key string
	// What says what is wrong.
	What string
	// Unknown says that nothing reads the key.
	Unknown bool
}

// packageFile is what package.json says of evals. Paths are relative and have forward slashes.
type packageFile struct {
	declared bool
	paths    map[string]string
	runners  []Runner // nil unless given
	problems []PackageProblem
}

func (p *packageFile) wrong(key, what string) {
	p.problems = append(p.problems, PackageProblem{Key: key, What: what})
}

// readPackage reads the package.json of a folder; one that is not there says nothing.
func readPackage(dir string) packageFile {
	var p packageFile
	root, err := os.OpenRoot(dir)
	if err != nil {
		return p
	}
	defer root.Close()
	data, more, err := readUpTo(root, PackageName, maxPackage)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
	case err != nil:
		p.wrong("", "cannot be read: "+cause(err))
	case more:
		p.wrong("", "is larger than 1 MiB, and is not read")
	default:
		p.parse(data)
	}
	return p
}

// evalKeys are the keys of pi.evals.
func evalKeys() []string { return []string{"cases", "runners", "lib", "sources", "runs"} }

func (p *packageFile) parse(data []byte) {
	var top, pi, evals map[string]json.RawMessage // not structs, whose keys would match in any case
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &top); err != nil {
		p.wrong("", "is not read: "+err.Error())
		return
	}
	if json.Unmarshal(top["pi"], &pi) != nil || pi["evals"] == nil {
		return
	}
	if err := json.Unmarshal(pi["evals"], &evals); err != nil || evals == nil {
		p.wrong("pi.evals", "must be an object such as {}")
		return
	}
	p.declared, p.paths = true, map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(evals)) {
		at := "pi.evals." + clip(key)
		switch {
		case !slices.Contains(evalKeys(), key):
			what := "nothing reads this key"
			if n := nearest.Of(key, evalKeys()); n != "" {
				what += "; did you mean " + n + "?"
			}
			p.problems = append(p.problems, PackageProblem{Key: at, What: what, Unknown: true})
		case key == "runners":
			p.readRunners(at, evals[key])
		default:
			if dir, ok := p.folder(at, evals[key]); ok {
				p.paths[key] = dir
			}
		}
	}
}

func (p *packageFile) readRunners(at string, raw json.RawMessage) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || all == nil {
		p.wrong(at, `must be an object of runners and their folders, such as {"harbor": "evals/harbor"}`)
		return
	}
	p.runners = []Runner{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key := at + "." + clip(name)
		if !isWord(name) {
			p.wrong(key, `is no name of a runner: letters, digits, "_", "." and "-", the first a letter or digit`)
			continue
		}
		if dir, ok := p.folder(key, all[name]); ok {
			p.runners = append(p.runners, Runner{name, dir})
		}
	}
}

// folder reads the path of a folder below the root.
func (p *packageFile) folder(key string, raw json.RawMessage) (string, bool) {
	var dir string
	if err := json.Unmarshal(raw, &dir); err != nil || len(raw) == 0 || raw[0] != '"' {
		p.wrong(key, "must be the path of a folder, in quotes")
		return "", false
	}
	clean := path.Clean(dir)
	if dir == "" || strings.Contains(dir, `\`) || hasControl(dir) || !filepath.IsLocal(filepath.FromSlash(clean)) {
		p.wrong(key, "must be a path with forward slashes that stays below the folder of package.json, not "+clip(dir))
		return "", false
	}
	return clean, true
}
