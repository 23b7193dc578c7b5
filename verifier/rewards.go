package verifier

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bom is the byte order mark that some editors put before a text.
const bom = "\uFEFF"

// maxShown is how many bytes of a wrong value are shown.
const maxShown = 200

// rewards are the values of a reward file, by key.
type rewards struct {
	file   string
	values map[string]float64
	broken []Violation
}

func (r *rewards) breaks(key, value, rule, text string) {
	r.broken = append(r.broken, Violation{Key: key, Value: value, Rule: rule, Text: text})
}

// readRewards reads reward.json, or reward.txt when there is none; nil when there is neither. A reward.json that is at
// fault never gives way to reward.txt.
func readRewards(f Files, opt Options, w *warnings) *rewards {
	var r *rewards
	switch {
	case f.RewardJSON != nil:
		r = readRewardJSON(f.RewardJSON, opt, w)
	case f.RewardTXT != nil:
		r = readRewardTXT(f.RewardTXT, opt, w)
	default:
		return nil
	}
	slices.SortStableFunc(r.broken, func(a, b Violation) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return r
}

func readRewardJSON(f *File, opt Options, w *warnings) *rewards {
	r := &rewards{file: RewardJSONName, values: map[string]float64{}}
	text, ok := r.content(f, w)
	if !ok {
		return r
	}
	if strings.TrimSpace(text) == "" {
		r.breaks("", "", RuleJSON, "the file is empty")
		return r
	}
	top, err := parse(text)
	switch {
	case err != nil:
		r.breaks("", "", RuleJSON, "the file is not JSON: "+err.Error())
	case top.kind != kindObject:
		r.breaks("", opt.text(top.raw, maxShown), RuleObject, "the file holds "+top.describe()+" where an object such as {\"reward\": 1} should be")
	case len(top.members) > MaxRewardKeys:
		r.breaks("", "", RuleSize, "the object has more than 1000 keys")
	default:
		r.object(top, opt)
	}
	return r
}

// content is the text of a reward file without a byte order mark.
func (r *rewards) content(f *File, w *warnings) (string, bool) {
	if rule, text := f.problem(MaxRewardBytes); rule != "" {
		r.breaks("", "", rule, "the file "+text)
		return "", false
	}
	if !utf8.Valid(f.Data) {
		r.breaks("", "", RuleJSON, "the file is not UTF-8")
		return "", false
	}
	text := string(f.Data)
	if strings.HasPrefix(text, bom) {
		w.add(WarnBOM, "%s starts with a byte order mark, which is left out", r.file)
		text = strings.TrimPrefix(text, bom)
	}
	return text, true
}

func (r *rewards) object(top node, opt Options) {
	count := map[string]int{}
	for _, m := range top.members {
		key := opt.text(m.name, MaxKeyBytes)
		count[m.name]++
		if count[m.name] == 2 {
			r.breaks(key, opt.text(m.value.raw, maxShown), RuleUnique, "the key occurs more than once")
		}
		if count[m.name] == 1 {
			if text := keyProblem(m.name); text != "" {
				r.breaks(key, opt.text(m.value.raw, maxShown), RuleKey, text)
			}
		}
		value, rule, text := score(m.value, opt.Harbor)
		if rule != "" {
			r.breaks(key, opt.text(m.value.raw, maxShown), rule, text)
			continue
		}
		r.values[m.name] = value
	}
}

// keyProblem says what is wrong with the name of a score.
func keyProblem(key string) string {
	switch {
	case key == "":
		return "the key is empty"
	case len(key) > MaxKeyBytes:
		return "the key is longer than 128 bytes"
	case strings.ContainsFunc(key, unicode.IsControl):
		return "the key has a control character in it"
	}
	return ""
}

// score converts a value, or names the rule that it breaks. Harbor's rewards have any range.
func score(n node, harbor bool) (value float64, rule, text string) {
	switch n.kind {
	case kindNumber:
	case kindNotFinite:
		return 0, RuleFinite, "the value is " + n.raw + ", not a finite number"
	default:
		return 0, RuleNumber, "the value is " + n.describe() + ", not a number"
	}
	value, ok := readNumber(n.raw)
	if !ok {
		return 0, RuleFinite, "the value is too large to be a finite number"
	}
	if !harbor && !isScore(n.raw) {
		return 0, RuleRange, "the value is not from 0 to 1; a count or total is no score and belongs in another file"
	}
	return value, "", ""
}

// describe names a value's kind for a message.
func (n node) describe() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return "the truth value " + n.raw
	case kindNumber:
		return "a bare number"
	case kindNotFinite:
		return n.raw
	case kindString:
		return "a text"
	case kindArray:
		return "a list"
	default:
		return "an object"
	}
}
