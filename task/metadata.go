package task

import "strings"

// metadata is a free table with two strict ones inside.
func metadata(c *Config) rule {
	eval, fakes := evalFields(&c.Eval), maybe(&c.Fakes, Fakes{Service: "fakes"}, fakesFields)
	keys := []key{{name: "eval", rule: inner(eval)}, {name: "fakes", rule: fakes}}
	return rule{kind: "table", keys: keys, free: true, read: func(r *reader, n *node) {
		if r.is(n, isTable) {
			r.keys(n, keys, r.stray)
		}
	}}
}

// stray warns about a key that means something elsewhere, for a root key that stands after [metadata] is filed there.
func (r *reader) stray(n *node) {
	if n.name == "multi_step_reward_strategy" {
		return // strayStrategy decides when the whole file is read
	}
	if !strings.Contains(n.name, "_") && n.name != "artifacts" && n.name != "steps" {
		return // a customary word such as name, version or source
	}
	if r.known == nil {
		r.known = newVocabulary()
	}
	if tables := r.known.tables(n.name); len(tables) > 0 {
		r.warn(MisplacedKey, n, "has no effect under [metadata]; a key of this name belongs in "+strings.Join(tables, ", "))
	}
}

// strayStrategy catches the root key that ends up under [metadata] most often. It is an error where scores would come
// out otherwise than the author wrote.
func (r *reader) strayStrategy(n *node, c *Config) {
	m := n.kid("metadata")
	if m == nil {
		return
	}
	stray := m.kid("multi_step_reward_strategy")
	if stray == nil {
		return
	}
	const what = "has no effect under [metadata]; the key belongs at the root, before the first [table] of the file"
	if stray.kind != isString || stray.text != string(c.MultiStepReward.Or(RewardMean)) {
		r.report(&ConfigError{
			Line: stray.key.Line, Column: stray.key.Column, Key: stray.path(), Value: stray.raw, What: what,
		})
		return
	}
	r.warn(MisplacedKey, stray, what)
}
