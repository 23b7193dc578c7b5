package verifier

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Judge turns what was found in the verifier's folder into a verdict. It has no effects and never panics; the work is
// bounded by the Max constants.
func Judge(f Files, opt Options) Verdict {
	w := &warnings{}
	v := judge(f, opt, w)
	v.Warnings = w.all()
	return v
}

func judge(f Files, opt Options, w *warnings) Verdict {
	v := Verdict{Scores: []Score{}}
	declared := false
	if opt.Harbor {
		if f.Contract != nil || opt.Contract != nil {
			w.add(WarnContractIgnored, "a version of the rewards contract is declared, but rewards are taken as Harbor takes them")
		}
	} else if v.ContractVersion, declared, v.Fault = contractVersion(f.Contract, opt, w); v.Fault != nil {
		return v
	}
	r := readRewards(f, opt, w)
	if r == nil {
		v.Fault = missing(f, declared, opt)
		return v
	}
	v.Source = r.file
	if len(r.broken) > 0 {
		compareTXT(f.RewardTXT, r, nil, opt, w)
		v.Fault = invalid(r, opt)
		return v
	}
	dims := readDetails(f.Details, opt, w)
	scores, allOff := combine(r.values, dims, opt, w)
	if len(r.values) == 0 && !allOff {
		v.Fault = empty(r.file, dims, opt)
		return v
	}
	v.Scores = scores
	v.Score, v.Derived = total(r.values, opt.Harbor)
	compareTXT(f.RewardTXT, r, v.Score, opt, w)
	return v
}

// total is the case's score: the reward, or else the mean of all others. Values are added in the order of their keys, so
// that the sum does not vary.
func total(values map[string]float64, harbor bool) (score *float64, derived bool) {
	if reward, ok := values[RewardKey]; ok {
		return &reward, false
	}
	if len(values) == 0 {
		return nil, false
	}
	var sum, scaled float64
	for _, key := range slices.Sorted(maps.Keys(values)) {
		sum += values[key]
		scaled += values[key] / float64(len(values))
	}
	mean := sum / float64(len(values))
	if math.IsInf(sum, 0) {
		mean = max(-math.MaxFloat64, min(math.MaxFloat64, scaled))
	}
	if harbor {
		return &mean, len(values) > 1
	}
	mean = max(0, min(1, mean))
	return &mean, true
}

// combine joins rewards and details into scores sorted by name. It also tells whether there are details and every
// dimension of them is not applicable.
func combine(values map[string]float64, dims map[string]*dimension, opt Options, w *warnings) (scores []Score, allOff bool) {
	scores = []Score{}
	allOff = len(dims) > 0
	keys := slices.Collect(maps.Keys(values))
	for name := range dims {
		if _, ok := values[name]; !ok {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		name := opt.text(key, MaxKeyBytes)
		s := Score{Name: name, Status: StatusScored, Criteria: []Criterion{}}
		d := dims[key]
		off := d != nil && d.notApplicable() && keyProblem(key) == ""
		allOff = allOff && off
		if d != nil {
			s.Criteria = append(s.Criteria, d.criteria...)
			s.Kind, s.Judge = strings.Join(d.kinds, ", "), strings.Join(d.judges, ", ")
		}
		value, scored := values[key]
		switch {
		case scored && off:
			w.add(WarnScoreWithoutCriteria, "%q has a score although all of its criteria are not applicable; the score counts", name)
			s.Value = &value
		case scored:
			s.Value = &value
		case off:
			s.Status = StatusNotApplicable
		default:
			w.add(WarnDetailsOnlyDimension, "%q is in %s, but has no score; it is not recorded", name, DetailsName)
			continue
		}
		scores = append(scores, s)
	}
	return scores, allOff
}
