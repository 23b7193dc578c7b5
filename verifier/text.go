package verifier

import "strings"

// readRewardTXT reads a lone number, which becomes the key "reward" and is judged as if reward.json held it.
func readRewardTXT(f *File, opt Options, w *warnings) *rewards {
	r := &rewards{file: RewardTXTName, values: map[string]float64{}}
	text, ok := r.content(f, w)
	if !ok {
		return r
	}
	shown := opt.text(strings.TrimSpace(text), maxShown)
	number, ok := textNumber(text)
	switch {
	case strings.TrimSpace(text) == "":
		r.breaks(RewardKey, "", RuleNumber, "the file is empty")
	case isNotFinite(text):
		r.breaks(RewardKey, shown, RuleFinite, "the file holds "+strings.TrimSpace(text)+", not a finite number")
	case !ok:
		r.breaks(RewardKey, shown, RuleNumber, "the file does not hold one number and nothing else")
	default:
		value, rule, why := score(node{kind: kindNumber, raw: number}, opt.Harbor)
		if rule != "" {
			r.breaks(RewardKey, shown, rule, why)
			break
		}
		r.values[RewardKey] = value
		w.add(WarnRewardTXT, "the score comes from %s, since there is no %s", RewardTXTName, RewardJSONName)
	}
	return r
}

// compareTXT warns when a reward.txt beside reward.json says something else. What it says never counts.
func compareTXT(f *File, json *rewards, total *float64, opt Options, w *warnings) {
	if f == nil || json == nil || json.file != RewardJSONName {
		return
	}
	if len(json.broken) > 0 {
		w.add(WarnRewardTXTIgnored, "there is a %s too; it is not read, since %s exists", RewardTXTName, RewardJSONName)
		return
	}
	if _, text := f.problem(MaxRewardBytes); text != "" {
		w.add(WarnRewardsDisagree, "%s %s; only %s counts", RewardTXTName, text, RewardJSONName)
		return
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(f.Data), bom))
	if number, ok := textNumber(text); ok && total != nil {
		if value, finite := readNumber(number); finite && value == *total {
			return
		}
	}
	w.add(WarnRewardsDisagree, "%s holds %q, which is not the score of %s; only %s counts",
		RewardTXTName, opt.text(text, maxShown), RewardJSONName, RewardJSONName)
}
