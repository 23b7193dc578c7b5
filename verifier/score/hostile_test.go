package score_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/verifier/score"
)

const many = 100_000

// hostile are elements that are costly to compare, each with another one.
func hostile() []struct{ name, element, other string } {
	nested := func(depth int, within string) string {
		return strings.Repeat(`{"a":[`, depth) + within + strings.Repeat(`]}`, depth)
	}
	digits := strings.Repeat("123456789", 111)
	return []struct{ name, element, other string }{
		{"short numbers", `1.5`, `99`},
		{"numbers of 1,000 digits", digits, digits + "9"},
		{"fractions of 1,000 digits", "0." + digits, "1." + digits},
		{"huge exponents", `1e99999`, `1e99998`},
		{"tiny exponents", `1e-99999`, `1e-99998`},
		{"exponents beyond all measure", `1e99999999999999999999`, `1`},
		{"long texts", `"` + strings.Repeat("aÉ", 200) + `"`, `"b"`},
		{"combining letters", `"e` + strings.Repeat("\u0301", 200) + `"`, `"b"`},
		{"nested objects", nested(20, "1"), nested(20, "2")},
		{"objects with keys that are there many times", `{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, 50), ",") + `}`, `{}`},
		{"objects with many keys", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`, `{}`},
		{"empty lists", `[]`, `[1]`},
	}
}

// pairOf is a list of n elements, and one that differs in each second place.
func pairOf(n int, element, other string) (s, e string) {
	return list(n, element), list(n/2, element+","+other)
}

func TestLargeSubmissionsAreQuick(t *testing.T) {
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			n := many / 10 // enough for what is not linear to take minutes
			if len(h.element) < 10 {
				n = many
			}
			s, e := pairOf(n, h.element, h.other)
			submission, expected := parse(t, `{"v":`+s+`}`), parse(t, `{"v":`+e+`}`)
			numbers := parse(t, `{"v":`+list(n, `1.4999`)+`}`)
			for _, keys := range allKeys() {
				truth := expected
				if strings.Contains(keys, "numeric") {
					truth = numbers
				}
				began := time.Now()
				if _, _, err := specOfOne(t, keys).Score(submission, truth, nil); err != nil && !strings.Contains(keys, "fuzzy") {
					t.Errorf("%s: %v", keys, err)
				}
				if took := time.Since(began); took > 10*time.Second { // a second on a quiet machine: see the benchmarks
					t.Errorf("%s took %s", keys, took)
				}
			}
		})
	}
}

func TestTheDeepestSubmissionIsCompared(t *testing.T) {
	deep := func(within string) string {
		return strings.Repeat(`{"a":[`, 4990) + within + strings.Repeat(`]}`, 4990)
	}
	for _, keys := range []string{exact, ratio, cover, inter, jaccard} {
		for within, want := range map[string]float64{"1": 1, "2": 0} {
			if v, _, err := one(t, keys, "["+deep(within)+"]", "["+deep("1.0")+"]"); err != nil || v != want {
				t.Errorf("%s: %v, %v", keys, v, err)
			}
		}
	}
}

func TestOneEndlessNumberIsQuick(t *testing.T) {
	began := time.Now()
	digits := strings.Repeat("7", 8<<20)
	for _, number := range []string{digits, "0." + digits, "1e" + digits, "-1." + digits + "e-5000", "0." + strings.Repeat("0", 8<<20) + "1"} {
		for _, keys := range []string{exact, near + `1`, near + `1` + linear, near + `1` + relative + linear, cover} {
			if v, _, err := one(t, keys, number, `1.5`); err != nil {
				t.Errorf("%s: %v, %v", keys, v, err)
			}
		}
	}
	if took := time.Since(began); took > 60*time.Second {
		t.Errorf("took %s", took)
	}
}

// longest are two texts of 10,000 letters that have nothing in common at their ends.
func longest() (s, e string) {
	return `"` + strings.Repeat("ab", 5000) + `"`, `"` + strings.Repeat("bca", 3333) + `c"`
}

func TestTheLongestTextsAreQuick(t *testing.T) {
	began := time.Now()
	s, e := longest()
	if _, _, err := one(t, fuzzy, s, e); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 20*time.Second { // two on a quiet machine
		t.Errorf("took %s", took)
	}
}

func BenchmarkScore(b *testing.B) {
	for _, h := range hostile() {
		s, e := pairOf(many, h.element, h.other)
		submission, truth := parse(b, `{"v":`+s+`}`), parse(b, `{"v":`+e+`}`)
		for _, c := range []struct {
			name, keys string
			truth      any
		}{
			{"exact_match_ratio", ratio + loose + nfc, truth}, {"set_overlap", jaccard, truth}, {"set_overlap, loose", jaccard + loose + nfc + trim, truth},
			{"numeric_tolerance", near + `0.1` + linear, parse(b, `{"v":`+list(many, `1.4999`)+`}`)}, {"numeric_tolerance of the same kind", near + `0.1` + relative + linear, truth},
		} {
			spec := specOfOne(b, c.keys)
			if _, _, err := spec.Score(submission, c.truth, nil); err != nil {
				continue
			}
			b.Run(h.name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := spec.Score(submission, c.truth, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkFuzzyStringOfTheLongestTexts(b *testing.B) {
	s, e := longest()
	spec, submission, truth := specOfOne(b, fuzzy), parse(b, `{"v":`+s+`}`), parse(b, `{"v":`+e+`}`)
	for b.Loop() {
		if _, _, err := spec.Score(submission, truth, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(list(many, `{"id":12345,"name":"somebody","tags":["a","b"]}`))
	for name, parse := range map[string]func([]byte) (any, error){"ParseSubmission": score.ParseSubmission, "ParseTruth": score.ParseTruth} {
		b.Run(fmt.Sprintf("%s of %d objects", name, many), func(b *testing.B) {
			for b.Loop() {
				if _, err := parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
