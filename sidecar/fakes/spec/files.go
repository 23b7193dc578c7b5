package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/schema"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// Bounds of what is read.
const (
	maxDeclaration = 4 << 20
	maxFile        = 32 << 20
	maxAll         = 256 << 20
	maxServers     = 64
	maxTools       = 2000
	maxRows        = 200_000
)

// file reads a file below the folder of the fakes. Links are not followed, not even those that stay within it.
func (r *reader) file(name string, most int64) ([]byte, error) {
	for at, prefix := 0, ""; at >= 0; {
		if at = strings.IndexByte(name[len(prefix):], '/'); at >= 0 {
			prefix = name[:len(prefix)+at+1]
		} else {
			prefix = name
		}
		info, err := r.root.Lstat(strings.TrimSuffix(prefix, "/"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, errors.New("there is no such file")
		case err != nil:
			return nil, fmt.Errorf("it cannot be read: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, errors.New("it is a link; links are not followed")
		case prefix == name && !info.Mode().IsRegular():
			return nil, errors.New("it is no plain file")
		}
	}
	f, err := r.root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	defer f.Close()
	most = min(most, r.left)
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("it is larger than %d bytes", most)
	case !utf8.Valid(data):
		return nil, errors.New("it is not UTF-8")
	}
	r.left -= int64(len(data))
	return data, nil
}

// named reads the file that n names, which is in the folder of n's own file or below it.
func (r *reader) named(n *tree.Node, most int64) (string, []byte, bool) {
	var name string
	if r.text(&name)(n); n.Kind != tree.String {
		return "", nil, false
	}
	if !fs.ValidPath(name) || name == "." {
		r.wrong(placeOf(n), "%q has to be a file below the folder of the server, without \"..\"", name)
		return "", nil, false
	}
	folder, _, _ := strings.Cut(n.File, "/")
	name = path.Join(folder, name)
	data, err := r.file(name, most)
	if err != nil {
		r.wrong(placeOf(n), "%s: %v", name, err)
		return "", nil, false
	}
	return name, data, true
}

// document reads n itself, or the file that it names when it is a string.
func (r *reader) document(n *tree.Node) *tree.Node {
	if n.Kind != tree.String {
		return n
	}
	name, data, ok := r.named(n, maxFile)
	if !ok {
		return nil
	}
	return r.parse(name, data)
}

func (r *reader) parse(name string, data []byte) *tree.Node {
	doc, err := tree.Parse(name, data)
	var syntax *tree.SyntaxError
	if errors.As(err, &syntax) {
		r.wrong(Place{File: syntax.File, Line: syntax.Line}, "%s", syntax.What)
	}
	return doc
}

// schema reads a JSON schema that stands at n or in the file that n names.
func (r *reader) schema(n *tree.Node) (*tree.Node, *schema.Schema) {
	doc := r.document(n)
	if doc == nil {
		return nil, nil
	}
	compiled, err := schema.Compile(doc.Value())
	if err != nil {
		r.wrong(placeOf(doc), "%v", err)
		return nil, nil
	}
	return doc, compiled
}

// properties gives the names of the properties that a schema declares at its top.
func properties(doc *tree.Node) map[string]bool {
	known := map[string]bool{}
	if doc == nil || doc.Kind != tree.Table {
		return known
	}
	if p := doc.Member("properties"); p != nil {
		for _, name := range p.Names {
			known[name] = true
		}
	}
	return known
}
