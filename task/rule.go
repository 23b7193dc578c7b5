package task

// rule says how the value of one key is read.
type rule struct {
	// kind is what docs/task-format.md calls the type.
	kind string
	// read decodes the value into the place that the rule is bound to and reports what is wrong with it.
	read func(*reader, *node)
	// keys are the keys of a table or of the tables in an array; nil for other values.
	keys []key
	// free is true for a table that takes any key beside keys.
	free bool
}

// key is one line of the schema.
type key struct {
	name     string
	rule     rule
	required bool
}

// fields are the keys of one table and the checks that look at several of them.
type fields struct {
	keys  []key
	check func(*reader, *node)
}

// value decodes one value. read reports what is wrong and then returns false.
type value[T any] struct {
	kind string
	read func(*reader, *node) (T, bool)
}

func need(name string, r rule) key { return key{name: name, rule: r, required: true} }

// set binds a key that has a default, which stands in dst already.
func set[T any](dst *T, v value[T]) rule {
	return rule{kind: v.kind, read: func(r *reader, n *node) {
		if got, ok := v.read(r, n); ok {
			*dst = got
		}
	}}
}

// opt binds a key for which being left out means something else than any value.
func opt[T any](dst *Opt[T], v value[T]) rule {
	return rule{kind: v.kind, read: func(r *reader, n *node) {
		if got, ok := v.read(r, n); ok {
			*dst = Opt[T]{Set: true, Value: got}
		}
	}}
}

// list is an array whose items are all read by v. An empty array gives an empty list that is not nil.
func list[T any](v value[T]) value[[]T] {
	return value[[]T]{"list of " + v.kind, func(r *reader, n *node) ([]T, bool) {
		if !r.is(n, isArray) {
			return nil, false
		}
		got, ok := make([]T, 0, len(n.kids)), true
		for _, item := range n.kids {
			one, good := v.read(r, item)
			got, ok = append(got, one), ok && good
		}
		return got, ok
	}}
}

// inner is a table.
func inner(f fields) rule {
	return rule{kind: "table", keys: f.keys, read: func(r *reader, n *node) { r.table(n, f) }}
}

// maybe is a table whose presence matters: dst stays nil without it. start holds the defaults.
func maybe[T any](dst **T, start T, of func(*T) fields) rule {
	return rule{kind: "table", keys: of(new(T)).keys, read: func(r *reader, n *node) {
		got := start
		r.table(n, of(&got))
		*dst = &got
	}}
}

// rows is an array of tables. start holds the defaults of each.
func rows[T any](dst *[]T, start T, of func(*T) fields) rule {
	return rule{kind: "array of tables", keys: of(new(T)).keys, read: func(r *reader, n *node) {
		if n.kind == isTable {
			r.wrong(n, "an array of tables, written [["+n.schemaPath()+"]]")
			return
		}
		if !r.is(n, isArray) {
			return
		}
		for _, item := range n.kids {
			one := start
			r.table(item, of(&one))
			*dst = append(*dst, one)
		}
	}}
}

// ignored is a key that other tools write and that has no effect here.
func ignored(why string) rule {
	return rule{kind: "any", free: true, read: func(r *reader, n *node) {
		r.warn(IgnoredKey, n, "has no effect: "+why)
	}}
}
