package verifier_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/verifier"
)

func TestStrictRewardJSONFaults(t *testing.T) {
	for _, tc := range []struct {
		name, in   string
		rule       string
		key, value string
	}{
		{"NaN is named", `{"a": 1, "b": NaN}`, verifier.RuleFinite, "b", "NaN"},
		{"Infinity is named", `{"b": Infinity}`, verifier.RuleFinite, "b", "Infinity"},
		{"-Infinity is named", `{"b": -Infinity}`, verifier.RuleFinite, "b", "-Infinity"},
		{"an overflowing number", `{"b": 1e400}`, verifier.RuleFinite, "b", "1e400"},
		{"a negative overflowing number", `{"b": -1e999}`, verifier.RuleFinite, "b", "-1e999"},
		{"the next float after 1", `{"b": 1.0000000000000002}`, verifier.RuleRange, "b", "1.0000000000000002"},
		{"a number over 1 whose nearest float is 1", `{"b": 1.00000000000000000001}`, verifier.RuleRange, "b", "1.00000000000000000001"},
		{"a number over 1 with an exponent", `{"b": 0.01e3}`, verifier.RuleRange, "b", "0.01e3"},
		{"the smallest negative number", `{"b": -5e-324}`, verifier.RuleRange, "b", "-5e-324"},
		{"null", `{"b": null}`, verifier.RuleNumber, "b", "null"},
		{"a list", `{"b": [1]}`, verifier.RuleNumber, "b", "[1]"},
		{"a nested object", `{"b": {"c": 1}}`, verifier.RuleNumber, "b", `{"c": 1}`},
		{"true", `{"b": true}`, verifier.RuleNumber, "b", "true"},
		{"false", `{"b": false}`, verifier.RuleNumber, "b", "false"},
		{"a number in quotes", `{"b": "0.5"}`, verifier.RuleNumber, "b", `"0.5"`},
		{"a repeated key", `{"reward": 0, "reward": 1}`, verifier.RuleUnique, "reward", "1"},
		{"a repeated key with the same value", `{"reward": 1, "reward": 1}`, verifier.RuleUnique, "reward", "1"},
		{"a key repeated through an escape", `{"reward": 1, "rew\u0061rd": 0}`, verifier.RuleUnique, "reward", "0"},
		{"a bare number", `1`, verifier.RuleObject, "", "1"},
		{"a list at the top", `[1]`, verifier.RuleObject, "", "[1]"},
		{"null at the top", `null`, verifier.RuleObject, "", "null"},
		{"NaN at the top", `NaN`, verifier.RuleObject, "", "NaN"},
		{"trailing data", `{"reward": 1} x`, verifier.RuleJSON, "", ""},
		{"two objects", `{"reward": 1}{"reward": 0}`, verifier.RuleJSON, "", ""},
		{"a cut object", `{"reward": 1`, verifier.RuleJSON, "", ""},
		{"a cut number", `{"reward": 0.`, verifier.RuleJSON, "", ""},
		{"a cut key", `{"rew`, verifier.RuleJSON, "", ""},
		{"single quotes", `{'reward': 1}`, verifier.RuleJSON, "", ""},
		{"a trailing comma", `{"reward": 1,}`, verifier.RuleJSON, "", ""},
		{"a number with a leading zero", `{"reward": 01}`, verifier.RuleJSON, "", ""},
		{"a number with a plus sign", `{"reward": +1}`, verifier.RuleJSON, "", ""},
		{"a wrong escape", `{"\x": 1}`, verifier.RuleJSON, "", ""},
		{"a newline within a key", "{\"a\nb\": 1}", verifier.RuleJSON, "", ""},
		{"not UTF-8", "{\"\xff\": 1}", verifier.RuleJSON, "", ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", verifier.RuleJSON, "", ""},
		{"an empty file", "", verifier.RuleJSON, "", ""},
		{"blanks only", " \r\n", verifier.RuleJSON, "", ""},
		{"a byte order mark only", "\uFEFF", verifier.RuleJSON, "", ""},
		{"nested a million deep", `{"a": ` + strings.Repeat("[", 1000000), verifier.RuleJSON, "", ""},
		{"an empty key", `{"": 1}`, verifier.RuleKey, "", "1"},
		{"a long key", `{"` + strings.Repeat("k", 129) + `": 1}`, verifier.RuleKey, strings.Repeat("k", 128) + " [cut]", "1"},
		{"a control character in a key", `{"a\u0007": 1}`, verifier.RuleKey, "a\a", "1"},
		{"a long value is cut", `{"b": "` + strings.Repeat("v", 300) + `"}`, verifier.RuleNumber, "b", `"` + strings.Repeat("v", 199) + " [cut]"},
		{"over 1 MiB", `{"reward": 1}` + strings.Repeat(" ", 1<<20), verifier.RuleSize, "", ""},
		{"over 1,000 keys", manyKeys(1001), verifier.RuleSize, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := faulted(t, verifier.Judge(rewardJSON(tc.in), verifier.Options{}), verifier.CodeRewardInvalid, tc.rule)
			if f.Key != tc.key || f.Value != tc.value {
				t.Errorf("key %q, value %q, want %q, %q", f.Key, f.Value, tc.key, tc.value)
			}
			mentions(t, f.Message, "reward.json", strings.Trim(strconv.Quote(tc.key), `"`), `rule "`+tc.rule+`"`)
		})
	}
}

func manyKeys(n int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d": 1`, i)
	}
	return "{" + strings.Join(keys, ",") + "}"
}

func TestStrictRewardJSONAccepts(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     float64
		warnings []string
	}{
		{"a number too small for a float is 0", `{"reward": 1e-400}`, 0, nil},
		{"minus zero is 0", `{"reward": -0}`, 0, nil},
		{"minus zero with a point is 0", `{"reward": -0.0e5}`, 0, nil},
		{"1 with an exponent", `{"reward": 10e-1}`, 1, nil},
		{"1 with many zeros", `{"reward": 1.` + strings.Repeat("0", 100) + `}`, 1, nil},
		{"a byte order mark is left out", "\uFEFF{\"reward\": 1}", 1, []string{verifier.WarnBOM}},
		{"slashes, dashes, dots and blanks in keys", `{"dir/a-b_c.d e": 0.5}`, 0.5, nil},
		{"keys in other scripts", `{"качество": 0.5}`, 0.5, nil},
		{"a key of 128 bytes", `{"` + strings.Repeat("k", 128) + `": 0.5}`, 0.5, nil},
		{"1,000 keys", manyKeys(1000), 1, nil},
		{"Windows line ends", "{\r\n\"reward\": 1\r\n}\r\n", 1, nil},
		{"a mean of thirds stays at most 1", `{"a": 1, "b": 1, "c": 1}`, 1, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(rewardJSON(tc.in), verifier.Options{})
			complete(t, v, ptr(tc.want))
			warned(t, v, tc.warnings...)
			if fmt.Sprint(*v.Score) == "-0" {
				t.Error("minus zero is kept")
			}
		})
	}
}

func TestStrictAllFaultsAreReportedSortedByKey(t *testing.T) {
	f := faulted(t, verifier.Judge(rewardJSON(`{"z": 2, "m": true, "a": NaN, "m": 1, "ok": 1}`), verifier.Options{}), verifier.CodeRewardInvalid, verifier.RuleFinite)
	var got []string
	for _, b := range f.All {
		got = append(got, b.Key+" "+b.Rule)
	}
	if diff := cmp.Diff([]string{"a finite", "m number", "m unique", "z range"}, got); diff != "" {
		t.Error(diff)
	}
	mentions(t, f.Message, `"a"`, `"m"`, `"z"`)
	f = faulted(t, verifier.Judge(rewardJSON(strings.ReplaceAll(manyKeys(100), "1,", "2,")), verifier.Options{}), verifier.CodeRewardInvalid, verifier.RuleRange)
	mentions(t, f.Message, "and 79 more")
}

func TestStrictFilesThatAreNotFiles(t *testing.T) {
	for _, tc := range []struct {
		name string
		file verifier.File
		rule string
		word string
	}{
		{"a link", verifier.File{Problem: "link", Data: []byte(`{"reward": 1}`)}, verifier.RuleFile, "link"},
		{"a device", verifier.File{Problem: "device"}, verifier.RuleFile, "device"},
		{"a fifo", verifier.File{Problem: "fifo"}, verifier.RuleFile, "fifo"},
		{"a directory", verifier.File{Problem: "directory"}, verifier.RuleFile, "directory"},
		{"a file that is too large", verifier.File{Problem: "too_large", Size: 1 << 40}, verifier.RuleSize, "1048576"},
		{"a file of which only a part was read", verifier.File{Data: []byte(`{"reward": 1}`), Size: 20}, verifier.RuleFile, "13 of 20"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			good := file("1")
			f := faulted(t, verifier.Judge(verifier.Files{RewardJSON: &tc.file, RewardTXT: good}, verifier.Options{}), verifier.CodeRewardInvalid, tc.rule)
			mentions(t, f.Message, "reward.json", tc.word)
			f = faulted(t, verifier.Judge(verifier.Files{RewardTXT: &tc.file}, verifier.Options{}), verifier.CodeRewardInvalid, tc.rule)
			mentions(t, f.Message, "reward.txt", tc.word)
		})
	}
}

func TestStrictRewardTXT(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     float64
		rule     string
	}{
		{"an integer", "1", 1, ""},
		{"a newline", "0\n", 0, ""},
		{"a carriage return", "1 \r\n", 1, ""},
		{"a fraction", "0.5", 0.5, ""},
		{"a fraction without a leading zero, as bc prints it", ".50\n", 0.5, ""},
		{"a point without a fraction", "1.", 1, ""},
		{"an exponent", "5e-1", 0.5, ""},
		{"a plus sign", "+1", 1, ""},
		{"minus zero", "-0.0", 0, ""},
		{"a leading zero", "01", 1, ""},
		{"empty", "", 0, verifier.RuleNumber},
		{"blanks", " \n", 0, verifier.RuleNumber},
		{"two numbers", "1 1", 0, verifier.RuleNumber},
		{"two lines", "1\n1\n", 0, verifier.RuleNumber},
		{"a word", "True", 0, verifier.RuleNumber},
		{"hexadecimal", "0x1", 0, verifier.RuleNumber},
		{"a comma", "1,0", 0, verifier.RuleNumber},
		{"a point alone", ".", 0, verifier.RuleNumber},
		{"an exponent alone", "e5", 0, verifier.RuleNumber},
		{"JSON", `{"reward": 1}`, 0, verifier.RuleNumber},
		{"nan", "nan\n", 0, verifier.RuleFinite},
		{"NaN", "NaN", 0, verifier.RuleFinite},
		{"inf", "inf", 0, verifier.RuleFinite},
		{"-Infinity", "-Infinity", 0, verifier.RuleFinite},
		{"an overflowing number", "1e999", 0, verifier.RuleFinite},
		{"a number over 1", "1e3", 0, verifier.RuleRange},
		{"ten with an underscore", "1_0", 0, verifier.RuleRange},
		{"the crash sentinel", "-1", 0, verifier.RuleRange},
		{"not UTF-8", "1\xff", 0, verifier.RuleJSON},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(rewardTXT(tc.in), verifier.Options{})
			if tc.rule != "" {
				mentions(t, faulted(t, v, verifier.CodeRewardInvalid, tc.rule).Message, "reward.txt")
				return
			}
			complete(t, v, ptr(tc.want))
			warned(t, v, verifier.WarnRewardTXT)
			if v.Source != "reward.txt" || v.Derived {
				t.Errorf("source %q, derived %v", v.Source, v.Derived)
			}
		})
	}
}

func TestStrictBothFiles(t *testing.T) {
	for _, tc := range []struct {
		name, json, txt string
		want            *float64 // nil: a fault
		warnings        []string
	}{
		{"alike", `{"reward": 1}`, "1.0\n", ptr(1.0), nil},
		{"the derived score alike", `{"a": 1, "b": 0}`, "0.5", ptr(0.5), nil},
		{"different: JSON counts", `{"reward": 1}`, "0", ptr(1.0), []string{verifier.WarnRewardsDisagree}},
		{"the crash sentinel beside it", `{"reward": 0}`, "-1", ptr(0.0), []string{verifier.WarnRewardsDisagree}},
		{"an empty text file", `{"reward": 0}`, "", ptr(0.0), []string{verifier.WarnRewardsDisagree}},
		{"nan in the text file", `{"reward": 0}`, "nan", ptr(0.0), []string{verifier.WarnRewardsDisagree}},
		{"a bare number never falls through", `1`, "0", nil, []string{verifier.WarnRewardTXTIgnored}},
		{"an empty JSON file never falls through", ``, "1", nil, []string{verifier.WarnRewardTXTIgnored}},
		{"a cut JSON file never falls through", `{"rew`, "1", nil, []string{verifier.WarnRewardTXTIgnored}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Judge(verifier.Files{RewardJSON: file(tc.json), RewardTXT: file(tc.txt)}, verifier.Options{})
			if tc.want != nil {
				complete(t, v, tc.want)
			} else if v.Fault == nil || v.Score != nil {
				t.Errorf("score %v, fault %v", v.Score, v.Fault)
			}
			if v.Source != "reward.json" {
				t.Errorf("source is %q", v.Source)
			}
			warned(t, v, tc.warnings...)
		})
	}
}
