package images

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// Outline is what a Dockerfile does, as far as that can be seen without building it.
type Outline struct{ Stages []Stage }

// Stage is one stage of a Dockerfile.
type Stage struct {
	// Name is what later stages call it, in lower case, or empty. Base is what it starts from, in which arguments with a default are filled in.
	Name, Base string
	Line       int
	Copies     []Copy
	// Runs are the texts of the RUN instructions, here-documents too.
	Runs []Run
}

// Run is a RUN instruction.
type Run struct {
	Line int
	Text string
}

// Copy is a COPY or ADD instruction.
type Copy struct {
	Line int
	// From is the stage or image that it copies from; empty = the build context.
	From string
	// Sources leaves out here-documents.
	Sources []string
	Dest    string
	// Exclude are the patterns of --exclude.
	Exclude []string
}

// ReadOutline reads a Dockerfile. The error is the parser's.
func ReadOutline(dockerfile []byte) (*Outline, error) {
	if len(dockerfile) > maxText {
		return nil, fmt.Errorf("the Dockerfile has more than %d bytes", maxText)
	}
	parsed, err := parser.Parse(bytes.NewReader(dockerfile))
	if err != nil {
		return nil, fmt.Errorf("reading the Dockerfile: %w", err)
	}
	o, args := &Outline{}, map[string]string{}
	for _, n := range parsed.AST.Children {
		words := wordsOf(n)
		switch strings.ToLower(n.Value) {
		case "arg":
			for _, w := range words {
				if name, value, ok := strings.Cut(w, "="); ok && len(o.Stages) == 0 {
					args[name] = strings.Trim(value, `"'`)
				}
			}
		case "from":
			o.from(n, words, args)
		case "copy", "add":
			o.copies(n, words)
		case "run":
			o.run(n, words)
		}
	}
	return o, nil
}

func wordsOf(n *parser.Node) []string {
	var words []string
	for next := n.Next; next != nil; next = next.Next {
		words = append(words, next.Value)
	}
	return words
}

func (o *Outline) from(n *parser.Node, words []string, args map[string]string) {
	if len(words) == 0 {
		return
	}
	s := Stage{Base: words[0], Line: n.StartLine}
	for name, value := range args {
		s.Base = strings.NewReplacer("${"+name+"}", value, "$"+name, value).Replace(s.Base)
	}
	if len(words) == 3 && strings.EqualFold(words[1], "as") {
		s.Name = strings.ToLower(words[2])
	}
	o.Stages = append(o.Stages, s)
}

func (o *Outline) last() *Stage {
	if len(o.Stages) == 0 {
		return &Stage{}
	}
	return &o.Stages[len(o.Stages)-1]
}

func (o *Outline) copies(n *parser.Node, words []string) {
	c := Copy{Line: n.StartLine}
	for _, f := range n.Flags {
		if from, ok := strings.CutPrefix(f, "--from="); ok {
			c.From = strings.ToLower(from)
		}
		if pattern, ok := strings.CutPrefix(f, "--exclude="); ok {
			c.Exclude = append(c.Exclude, pattern)
		}
	}
	if len(words) < 2 {
		return
	}
	c.Dest = words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		if !strings.HasPrefix(w, "<<") {
			c.Sources = append(c.Sources, w)
		}
	}
	s := o.last()
	s.Copies = append(s.Copies, c)
}

func (o *Outline) run(n *parser.Node, words []string) {
	parts := []string{strings.Join(words, " ")}
	for _, h := range n.Heredocs {
		parts = append(parts, h.Content)
	}
	s := o.last()
	s.Runs = append(s.Runs, Run{Line: n.StartLine, Text: strings.Join(parts, "\n")})
}

// Chain gives the stages that the image of a stage consists of, the first one first; target is its name, and empty the last one. It is empty when there is no such
// stage. Stages that files are copied from are not part of it.
func (o *Outline) Chain(target string) []Stage {
	at := len(o.Stages) - 1
	if target != "" {
		at = o.named(strings.ToLower(target), len(o.Stages))
	}
	var chain []Stage
	for at >= 0 {
		s := o.Stages[at]
		chain = append([]Stage{s}, chain...)
		at = o.named(strings.ToLower(s.Base), at)
	}
	return chain
}

// named finds a stage before another by its name.
func (o *Outline) named(name string, before int) int {
	for i := before - 1; i >= 0; i-- {
		if o.Stages[i].Name == name && name != "" {
			return i
		}
	}
	return -1
}
