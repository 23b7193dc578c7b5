package verifier

import (
	"fmt"
	"strings"
)

func invalid(r *rewards, opt Options) *Fault {
	const shown = 20
	first := r.broken[0]
	lines := make([]string, 0, shown+1)
	for i, b := range r.broken {
		if i == shown {
			lines = append(lines, fmt.Sprintf("and %d more", len(r.broken)-shown))
			break
		}
		lines = append(lines, b.String())
	}
	return &Fault{
		Code: CodeRewardInvalid, Phase: PhaseRewards, File: r.file, All: r.broken,
		Key: first.Key, Value: first.Value, Rule: first.Rule,
		Message: opt.message("%s is invalid: %s", r.file, strings.Join(lines, "; ")),
	}
}

// String names key, value and rule.
func (v Violation) String() string {
	subject := ""
	if v.Key != "" || v.Rule == RuleKey {
		subject = fmt.Sprintf("key %q: ", v.Key)
	}
	if v.Value != "" {
		return fmt.Sprintf("%s%s (value %s, rule %q)", subject, v.Text, v.Value, v.Rule)
	}
	return fmt.Sprintf("%s%s (rule %q)", subject, v.Text, v.Rule)
}

// empty is the fault of an object without scores.
func empty(file string, dims map[string]*dimension, opt Options) *Fault {
	if opt.Harbor {
		return &Fault{
			Code: CodeNoScores, Phase: PhaseRewards, File: file,
			Message: opt.message("%s is an empty object: the tests ran but scored nothing", file),
		}
	}
	why := "there are no readable details"
	if len(dims) > 0 {
		why = "the details do not show every dimension as not applicable"
	}
	r := &rewards{file: file}
	r.breaks("", "{}", RuleEmpty, "the object is empty, which stands for \"nothing was applicable\", but "+why)
	return invalid(r, opt)
}

// missing is the fault when there is no reward file. A producer that declared its contract ran, but recorded nothing.
func missing(f Files, declared bool, opt Options) *Fault {
	fault := &Fault{Code: CodeRewardMissing, Phase: PhaseVerifier, Found: found(f, opt)}
	what := "the tests left neither " + RewardJSONName + " nor " + RewardTXTName
	if declared {
		fault.Code = CodeNoScores
		what = "the tests declared a rewards contract in " + ContractName + " but recorded no score"
	}
	fault.Message = opt.message("%s; %s", what, foundText(fault.Found))
	return fault
}

// maxFound is how many files of the verifier's folder are listed in a fault.
const maxFound = 50

func found(f Files, opt Options) []string {
	out := make([]string, 0, min(len(f.Listing), maxFound))
	for _, name := range f.Listing {
		if len(out) == maxFound {
			return append(out, fmt.Sprintf("and %d more", len(f.Listing)-maxFound))
		}
		out = append(out, opt.text(name, maxShown))
	}
	return out
}

func foundText(found []string) string {
	if len(found) == 0 {
		return "the verifier's folder is empty"
	}
	return "the verifier's folder holds " + strings.Join(found, ", ")
}
