package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seatrial/seatrial/task"
)

// copies keeps the folders that decided a run's trials, each once by its content. It is safe for concurrent use.
type copies struct {
	run string // the run's folder

	mu   sync.Mutex
	made map[string]func() error
	sums map[string]func() (string, error)
}

// digest is a folder's, read once a run: what is an agent's, or a fake's, is the same for all trials.
func (c *copies) digest(dir string) (string, error) {
	c.mu.Lock()
	sum, begun := c.sums[dir]
	if !begun {
		if c.sums == nil {
			c.sums = map[string]func() (string, error){}
		}
		sum = sync.OnceValues(func() (string, error) { return task.Digest(dir) })
		c.sums[dir] = sum
	}
	c.mu.Unlock()
	return sum()
}

// keep copies a folder below the run's, unless it is there, and returns the copy's path relative to that. kind is the folder that copies of its kind are in.
func (c *copies) keep(kind, dir, sum string) (string, error) {
	digits, ok := strings.CutPrefix(sum, "sha256:")
	if !ok || digits == "" {
		return "", errors.New("it has no digest")
	}
	to := kind + "/" + digits + "/" + filepath.Base(dir) // a task without a name is called as its folder is
	c.mu.Lock()
	if c.made == nil {
		c.made = map[string]func() error{}
	}
	make, begun := c.made[to]
	if !begun {
		make = sync.OnceValue(func() error { return c.copy(dir, sum, to) })
		c.made[to] = make
	}
	c.mu.Unlock()
	if err := make(); err != nil {
		return "", err
	}
	return to, nil
}

// copy makes the copy under a name of its own first, so that one which is there is whole.
func (c *copies) copy(dir, sum, to string) error {
	final := filepath.Join(c.run, filepath.FromSlash(to))
	if st, err := os.Lstat(final); err == nil && st.IsDir() { // of an earlier session of the run
		if now, err := task.Digest(final); err == nil && now == sum {
			return nil
		}
		if err := os.RemoveAll(final); err != nil {
			return fmt.Errorf("replace a copy that is not what it was: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return fmt.Errorf("make the folder for copies: %w", err)
	}
	part := final + ".part"
	if err := os.RemoveAll(part); err != nil {
		return fmt.Errorf("make the folder for copies: %w", err)
	}
	if err := task.Copy(dir, part, sum); err != nil {
		return err
	}
	if err := os.Rename(part, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put the copy in its place: %w", err)
	}
	return nil
}
