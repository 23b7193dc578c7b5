package task

import (
	"os"

	"github.com/pelletier/go-toml/v2"
)

// Named reads of a task that cannot be loaded what it calls itself and which case it names, as far as its task.toml can be read at all; empty where it says nothing.
func Named(dir string) (name, caseID string) {
	c := glimpse(dir)
	if !IsCaseID(c.Metadata.Eval.Case) {
		c.Metadata.Eval.Case = ""
	}
	return printable(c.Task.Name), c.Metadata.Eval.Case
}

// Tagged reads the tags of a task whose task.toml may be wrong, as far as they can be read; see Config.Tags.
func Tagged(dir string) []string {
	g := glimpse(dir)
	var c Config
	if list, ok := g.Task.Keywords.([]any); ok {
		for _, v := range list {
			if s, ok := v.(string); ok {
				c.Task.Keywords = append(c.Task.Keywords, s)
			}
		}
	}
	c.Metadata = map[string]any{"tags": g.Metadata.Tags}
	return c.Tags()
}

// glimpsed is what can be seen of a task.toml that may be wrong.
type glimpsed struct {
	Task struct {
		Name     string `toml:"name"`
		Keywords any    `toml:"keywords"`
	} `toml:"task"`
	Metadata struct {
		Tags any `toml:"tags"`
		Eval struct {
			Case string `toml:"case"`
		} `toml:"eval"`
	} `toml:"metadata"`
}

func glimpse(dir string) (c glimpsed) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c
	}
	defer root.Close()
	data, _, err := readUpTo(root, ConfigName, MaxConfigSize)
	if err != nil {
		return c
	}
	_ = toml.Unmarshal(data, &c) // what comes before an error counts
	return c
}
