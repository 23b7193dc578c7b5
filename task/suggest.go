package task

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// vocabulary is every key of the schema, for suggestions.
type vocabulary struct {
	words []known
}

type known struct {
	table string // "" for the root
	name  string
	array bool // the table is an array of tables
}

func (k known) path() string { return join(k.table, k.name) }

func newVocabulary() *vocabulary {
	v := &vocabulary{}
	v.gather("", rootFields(new(Config)).keys, false)
	v.gather("artifacts", artifactFields(new(Artifact)).keys, true)
	v.gather("steps.artifacts", artifactFields(new(Artifact)).keys, true)
	slices.SortStableFunc(v.words, func(a, b known) int {
		return cmp.Compare(strings.Count(a.table, "."), strings.Count(b.table, "."))
	})
	return v
}

func (v *vocabulary) gather(table string, keys []key, array bool) {
	for _, k := range keys {
		v.words = append(v.words, known{table, k.name, array})
		v.gather(join(table, k.name), k.rule.keys, k.rule.kind == "array of tables")
	}
}

// tables lists the tables in which a key of this name is known, nearest to the root first.
func (v *vocabulary) tables(name string) []string {
	const most = 3
	var found []string
	for _, w := range v.words {
		if w.name != name {
			continue
		}
		switch {
		case len(found) == most:
			return append(found, "...")
		case w.table == "":
			found = append(found, "the root, before the first [table]")
		case w.array:
			found = append(found, "[["+w.table+"]]")
		default:
			found = append(found, "["+w.table+"]")
		}
	}
	return found
}

// explain adds to e where a key that table does not know could belong, or else which keys the table knows.
func (v *vocabulary) explain(e *ConfigError, table, name string) {
	e.Belongs, e.Near = v.tables(name), v.nearest(table, name)
	if len(e.Belongs) > 0 || e.Near != "" {
		return
	}
	var here []string
	for _, w := range v.words {
		if w.table == table && !slices.Contains(here, w.name) {
			here = append(here, w.name)
		}
	}
	e.What += "; known here are " + strings.Join(here, ", ")
}

// nearest returns the path of the key most like name: one of the same table, else a very near one of any table.
func (v *vocabulary) nearest(table, name string) string {
	const longest = 64 // no known key is near a longer one
	if len(name) > longest {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", 2*longest
	for _, w := range v.words {
		d := nearest.Distance(name, w.name)
		switch {
		case d == 0 && w.table != table:
			continue // tables tells about these
		case w.table == table && !similar(d, name, w.name) && !partOf(name, w.name):
			continue
		case w.table != table && !similar(d, name, w.name):
			continue
		case w.table != table:
			d += longest
		}
		if d < least {
			best, least = w.path(), d
		}
	}
	return best
}

// similar allows one edit in four letters.
func similar(distance int, a, b string) bool { return distance <= max(1, max(len(a), len(b))/4) }

// partOf reports that one word begins or ends the other, as timeout does timeout_sec.
func partOf(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 4 && (strings.HasPrefix(b, a) || strings.HasSuffix(b, a))
}
