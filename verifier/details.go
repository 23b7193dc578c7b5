package verifier

import (
	"slices"
	"strings"
)

// dimension is what the details say of one key of the rewards.
type dimension struct {
	criteria []Criterion
	kinds    []string
	judges   []string
	partial  bool // something of it could not be read
}

// notApplicable tells whether every criterion is not applicable. None at all is not every.
func (d *dimension) notApplicable() bool {
	if d.partial || len(d.criteria) == 0 {
		return false
	}
	return !slices.ContainsFunc(d.criteria, func(c Criterion) bool { return c.Status != StatusNotApplicable })
}

// readDetails reads the details by dimension. It never fails: what cannot be read is left out with a warning, and an
// unreadable file gives nil.
func readDetails(f *File, opt Options, w *warnings) map[string]*dimension {
	if f == nil {
		return nil
	}
	if _, text := f.problem(MaxDetailsBytes); text != "" {
		w.add(WarnDetailsUnreadable, "%s %s; the reasoning is lost", DetailsName, text)
		return nil
	}
	top, err := parse(strings.TrimPrefix(strings.ToValidUTF8(string(f.Data), "\uFFFD"), bom))
	if err != nil {
		w.add(WarnDetailsUnreadable, "%s is not JSON (%v); the reasoning is lost", DetailsName, err)
		return nil
	}
	if top.kind != kindObject {
		w.add(WarnDetailsUnreadable, "%s holds %s where an object should be; the reasoning is lost", DetailsName, top.describe())
		return nil
	}
	dims := map[string]*dimension{}
	for _, m := range top.members {
		d := dims[m.name]
		if d == nil {
			d = &dimension{}
			dims[m.name] = d
		}
		r := detailsReader{dim: d, name: opt.text(m.name, MaxKeyBytes), opt: opt, w: w}
		r.entry(m.value)
	}
	return dims
}

// detailsReader reads the entries of one dimension.
type detailsReader struct {
	dim  *dimension
	name string
	opt  Options
	w    *warnings
}

// entry reads an object with criteria, a list of such objects, or a bare list of criteria.
func (r *detailsReader) entry(n node) {
	switch n.kind {
	case kindObject:
		r.object(n)
	case kindArray:
		if slices.ContainsFunc(n.items, func(item node) bool { return item.has("criteria") }) {
			for _, item := range n.items {
				r.object(item)
			}
			return
		}
		r.criteria(n)
	default:
		r.drop("holds " + n.describe())
	}
}

func (r *detailsReader) object(n node) {
	criteria, ok := n.get("criteria")
	if !ok || criteria.kind != kindArray {
		r.drop("has no list of criteria")
		return
	}
	if kind, ok := n.get("kind"); ok && kind.kind == kindString {
		r.dim.kinds = appendNew(r.dim.kinds, r.opt.text(kind.text, maxShown))
	}
	if judge, ok := n.get("judge"); ok {
		r.judge(judge)
	}
	r.criteria(criteria)
}

// judge keeps the judge's name; the rest of its settings stay in the file.
func (r *detailsReader) judge(n node) {
	for _, key := range []string{"judge", "name", "model"} {
		if n.kind == kindObject {
			if name, ok := n.get(key); ok && name.kind == kindString {
				n = name
			}
		}
	}
	if n.kind == kindString && n.text != "" {
		r.dim.judges = appendNew(r.dim.judges, r.opt.text(n.text, maxShown))
	}
}

func (r *detailsReader) criteria(list node) {
	for i, item := range list.items {
		if item.kind != kindObject {
			r.dim.partial = true
			r.w.add(WarnDetailsCriterion, "criterion %d of %q in %s is %s, not an object, and is left out", i+1, r.name, DetailsName, item.describe())
			continue
		}
		r.dim.criteria = append(r.dim.criteria, r.criterion(item))
	}
}

func (r *detailsReader) drop(why string) {
	r.dim.partial = true
	r.w.add(WarnDetailsEntry, "the entry %q of %s %s and is left out", r.name, DetailsName, why)
}

func (n node) has(key string) bool {
	_, ok := n.get(key)
	return ok
}

// get is the value of an object's key; the last one when it is repeated, as other readers take it.
func (n node) get(key string) (node, bool) {
	for _, m := range slices.Backward(n.members) {
		if m.name == key {
			return m.value, true
		}
	}
	return node{}, false
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
