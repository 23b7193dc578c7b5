// Package draft begins the declaration of a fake from the contract of a real server. It writes what the contract knows, and
// leaves open what only the author can say: the entities, what each tool writes, and what it does.
package draft

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// maxContract is the largest contract that is read, in bytes.
const maxContract = 32 << 20

// Options say where a draft goes.
type Options struct {
	// Dir is the folder of the fakes; the server gets a folder of its own in it.
	Dir string
	// Name is the server's name; empty takes it from the contract.
	Name string
	// Header goes with requests to a live server.
	Header http.Header
}

// Draft is what was written.
type Draft struct {
	Name  string
	Files []string
	Tools int
}

// ExistsError says that there is a fake of that name already.
type ExistsError struct {
	Path string
}

// Error implements error.
func (e *ExistsError) Error() string {
	return e.Path + " exists already; choose another name with --name, or remove it"
}

// ContractError says that a contract cannot be used.
type ContractError struct {
	From  string
	Cause error
}

// Error implements error.
func (e *ContractError) Error() string { return fmt.Sprintf("%s: %v", e.From, e.Cause) }

// Unwrap returns the cause.
func (e *ContractError) Unwrap() error { return e.Cause }

// contract is what a draft is made of.
type contract struct {
	from                               string
	name, title, version, instructions string
	protocol                           spec.Protocol
	key, file                          string // [contract] key = file
	data                               []byte
}

// write makes the folder of a server, in one piece: either all of it appears or nothing.
func write(c contract, o Options) (Draft, error) {
	if o.Name != "" {
		c.name = o.Name
	}
	if c.name = slug(c.name); c.name == "" {
		return Draft{}, &ContractError{c.from, errors.New("it does not say what the server is called; say it with --name")}
	}
	target := filepath.Join(o.Dir, c.name)
	if _, err := os.Lstat(target); err == nil {
		return Draft{}, &ExistsError{target}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Draft{}, fmt.Errorf("the server's folder: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return Draft{}, fmt.Errorf("the folder of the fakes: %w", err)
	}
	stage, err := os.MkdirTemp(o.Dir, ".draft-")
	if err != nil {
		return Draft{}, fmt.Errorf("the server's folder: %w", err)
	}
	tools, err := fill(stage, c)
	if err == nil {
		err = os.Rename(filepath.Join(stage, c.name), target)
	}
	if err = errors.Join(err, os.RemoveAll(stage)); err != nil {
		return Draft{}, &ContractError{c.from, err}
	}
	return Draft{Name: c.name, Tools: tools, Files: []string{filepath.Join(target, "fake.toml"), filepath.Join(target, c.file)}}, nil
}

// fill writes the files twice: what the contract's tools are called is known when it has been read.
func fill(stage string, c contract) (int, error) {
	dir := filepath.Join(stage, c.name)
	declaration := filepath.Join(dir, "fake.toml")
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, c.file), c.data, 0o644), os.WriteFile(declaration, toml(c, nil), 0o644))
	}
	if err != nil {
		return 0, fmt.Errorf("writing the draft: %w", err)
	}
	f, err := spec.Load(stage)
	if err != nil {
		return 0, fmt.Errorf("the contract cannot be read: %w", err)
	}
	s, ok := f.Server(c.name)
	if !ok || len(s.Tools) == 0 {
		return 0, errors.New("the contract has no tools")
	}
	if err := os.WriteFile(declaration, toml(c, s), 0o644); err != nil {
		return 0, fmt.Errorf("writing the draft: %w", err)
	}
	return len(s.Tools), nil
}

// slug makes a server's name of a title.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	const most = 63
	name := strings.Trim(b.String(), "-._")
	return strings.TrimRight(name[:min(len(name), most)], "-._")
}
