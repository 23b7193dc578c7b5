package spec

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// scenario reads [scenarios.<name>] or a file of the folder scenarios.
func (b *build) scenario(name string, n *tree.Node) {
	if earlier, twice := b.s.scenarios[name]; twice {
		b.wrong(placeOf(n), "the scenario %q is declared at %s:%d already", name, earlier.File, earlier.Line)
		return
	}
	sc := &Scenario{Place: placeOf(n), Name: name, Seed: map[string][]Row{}, seeded: map[string]Place{}}
	b.s.scenarios[name] = sc
	b.table(n, fields{
		"extends": b.text(&sc.Extends),
		"seed":    b.each(func(entity string, n *tree.Node) { b.seed(sc, entity, n) }),
		"faults":  b.items(func(n *tree.Node) { b.fault(sc, n) }),
	})
}

// scenarioFiles reads scenarios/<name>.toml, .yaml or .json.
func (b *build) scenarioFiles(folder string) {
	dir := path.Join(folder, "scenarios")
	info, err := b.root.Lstat(dir)
	if err != nil {
		return
	}
	if !info.IsDir() {
		b.wrong(Place{File: dir}, "this has to be a folder of scenarios")
		return
	}
	entries, err := fs.ReadDir(b.root.FS(), dir)
	if err != nil {
		b.wrong(Place{File: dir}, "it cannot be read: %v", err)
	}
	for _, entry := range entries {
		file := path.Join(dir, entry.Name())
		ext := path.Ext(file)
		if ext != ".toml" && ext != ".yaml" && ext != ".yml" && ext != ".json" {
			continue
		}
		data, err := b.file(file, maxDeclaration)
		if err != nil {
			b.wrong(Place{File: file}, "%v", err)
			continue
		}
		if doc := b.parse(file, data); doc != nil {
			b.scenario(strings.TrimSuffix(entry.Name(), ext), doc)
		}
	}
}

// seed reads the rows of an entity: a list, a table of rows by id, or the name of a file with either, which in TOML is
// called rows.
func (b *build) seed(sc *Scenario, entity string, n *tree.Node) {
	e, ok := b.s.Entity(entity)
	if !ok {
		b.unknown(placeOf(n), "entity", entity, b.entityNames())
		return
	}
	sc.seeded[entity] = placeOf(n)
	doc := b.document(n)
	if doc == nil {
		return
	}
	if doc != n && doc.Kind == tree.Table && doc.Member("rows") != nil && len(doc.Names) == 1 {
		doc = doc.Member("rows")
	}
	switch doc.Kind {
	case tree.List:
		for _, item := range doc.Items {
			b.row(sc, e, item, "")
		}
	case tree.Table:
		for _, id := range doc.Names {
			b.row(sc, e, doc.Member(id), id)
		}
	default:
		b.wrong(placeOf(doc), "rows are a list of tables, a table of rows by id, or a file with either; this is %s", doc.Kind)
	}
}

// row takes up one row. The id of a row in a table of rows is its key, unless it has one of its own.
func (b *build) row(sc *Scenario, e *Entity, n *tree.Node, key string) {
	if !b.is(n, tree.Table) {
		return
	}
	if len(sc.Seed[e.Name]) >= maxRows {
		if len(sc.Seed[e.Name]) == maxRows {
			b.wrong(placeOf(n), "there are more than %d rows", maxRows)
		}
		return
	}
	row, _ := n.Value().(map[string]any)
	if _, has := row[e.ID]; !has && key != "" {
		if e.Integer {
			row[e.ID] = json.Number(key)
		} else {
			row[e.ID] = key
		}
	}
	b.rank(n.Names...)
	sc.Seed[e.Name] = append(sc.Seed[e.Name], Row{Place: placeOf(n), Fields: row})
}

func (b *build) fault(sc *Scenario, n *tree.Node) {
	f := Fault{Place: placeOf(n), Times: 1}
	var match, delay, times *tree.Node
	var ms int
	b.table(n, fields{
		"tool": b.text(&f.Tool), "nth": b.whole(&f.Nth, 1, 1_000_000), "match": keep(&match), "times": keep(&times),
		"kind":    oneOf(b.reader, &f.Kind, FaultError, FaultToolError, FaultDelay, FaultDrop, FaultMalformed),
		"message": b.text(&f.Message), "status": b.whole(&f.Status, 400, 599), "code": b.whole(&f.Code, -99999, -1),
		"delay_ms": keep(&delay), "applied": b.flag(&f.Applied),
	})
	if n.Kind != tree.Table {
		return
	}
	when(delay, b.whole(&ms, 1, 600_000))
	f.DelayMS = int64(ms)
	if times != nil && times.Kind == tree.String && times.Scalar == "always" {
		f.Times = 0
	} else {
		when(times, b.whole(&f.Times, 1, 1_000_000))
	}
	if match != nil && b.is(match, tree.Table) {
		f.Match, _ = match.Value().(map[string]any)
	}
	b.checkFault(&f, n)
	sc.Faults = append(sc.Faults, f)
}

func (b *build) checkFault(f *Fault, n *tree.Node) {
	if n.Member("tool") == nil {
		b.wrong(f.Place, "tool is missing: the tool whose calls go wrong")
	} else if _, ok := b.s.Tool(f.Tool); !ok {
		b.unknown(placeOf(n.Member("tool")), "tool", f.Tool, b.toolNames())
	}
	switch {
	case n.Member("kind") == nil:
		b.wrong(f.Place, "kind is missing: error, isError, delay, drop or malformed")
	case f.Kind == FaultDelay && f.DelayMS == 0:
		b.wrong(f.Place, "a delay needs delay_ms")
	case f.Kind != FaultDelay && f.DelayMS != 0:
		b.wrong(f.Place, "delay_ms belongs to the kind delay")
	case f.Kind == FaultDelay || f.Kind == FaultMalformed:
		// There is an answer that comes late or is cut off, so the call is carried out.
		f.Applied = true
	}
	if f.Message == "" {
		f.Message = "Internal error"
	}
	if f.Status == 0 {
		f.Status = 500
	}
	if f.Code == 0 {
		f.Code = -32603
	}
}
