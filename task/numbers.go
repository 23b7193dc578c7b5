package task

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxLimit is the longest time limit that a task may set.
const MaxLimit = 30 * 24 * time.Hour

// seconds is a time limit: above 0 and at most MaxLimit, with fractions.
func seconds() value[time.Duration] { return duration(1, "above 0") }

// secondsOrZero is a wait, which may be nothing.
func secondsOrZero() value[time.Duration] { return duration(0, "from 0") }

func duration(least time.Duration, from string) value[time.Duration] {
	want := fmt.Sprintf("a number of seconds %s and at most %d (30 days)", from, int(MaxLimit/time.Second))
	return value[time.Duration]{"seconds", func(r *reader, n *node) (time.Duration, bool) {
		f, ok := r.float(n, want)
		if !ok {
			return 0, false
		}
		// Written so that NaN fails, and before the conversion, which wraps round.
		if !(f >= 0 && f <= MaxLimit.Seconds()) {
			r.wrong(n, want)
			return 0, false
		}
		d := time.Duration(math.Round(f * float64(time.Second)))
		if d < least {
			r.wrong(n, want)
			return 0, false
		}
		return d, true
	}}
}

// number is a finite number.
func number() value[float64] {
	const want = "a finite number"
	return value[float64]{"float", func(r *reader, n *node) (float64, bool) {
		f, ok := r.float(n, want)
		if ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			r.wrong(n, want)
			return 0, false
		}
		return f, ok
	}}
}

// float reads a number, or a string that holds one as Harbor does.
func (r *reader) float(n *node, want string) (float64, bool) {
	switch n.kind {
	case isInteger:
		v, ok := integer(n.text)
		if !ok {
			r.wrong(n, want)
		}
		return float64(v), ok
	case isFloat:
		return decimal(n.text), true
	case isString:
		s := strings.TrimSpace(n.text)
		f, err := strconv.ParseFloat(s, 64)
		if err == nil && !strings.ContainsAny(s, "xX_") {
			r.coerced(n, s)
			return f, true
		}
	default:
	}
	r.wrong(n, want+", not "+n.kind.String())
	return 0, false
}

// whole is a whole number in a range. Harbor's conversions are made, with a warning.
func whole[T int | int64](least, most T) value[T] {
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	if most == math.MaxInt {
		want = fmt.Sprintf("a whole number from %d up", least)
	}
	return value[T]{"integer", func(r *reader, n *node) (T, bool) {
		v, as, ok := wholeOf(n)
		if !ok || T(v) < least || T(v) > most {
			r.wrong(n, want)
			return 0, false
		}
		if as != "" {
			r.coerced(n, as)
		}
		return T(v), true
	}}
}

// wholeOf returns the number, and how it would be written when it is not written as a whole number.
func wholeOf(n *node) (v int64, as string, ok bool) {
	switch n.kind {
	case isInteger:
		v, ok = integer(n.text)
		return v, "", ok
	case isFloat:
		f := decimal(n.text)
		if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, "", false
		}
		v, ok = int64(f), true
	case isString:
		i, err := strconv.ParseInt(strings.TrimSpace(n.text), 10, 64)
		v, ok = i, err == nil
	case isBool:
		if n.text == "true" {
			v = 1
		}
		ok = true
	default:
	}
	return v, strconv.FormatInt(v, 10), ok
}

// strictly is a whole number without any conversion.
func strictly[T int | int64](least, most T) value[T] {
	v := whole(least, most)
	return value[T]{v.kind, func(r *reader, n *node) (T, bool) {
		if !r.is(n, isInteger) {
			return 0, false
		}
		return v.read(r, n)
	}}
}

// size is the older spelling of memory and storage: a number with K, M or G. The result is in MiB.
func size() value[int64] {
	const want = `a size with K, M or G at its end, such as "2G"`
	return value[int64]{"size", func(r *reader, n *node) (int64, bool) {
		if !r.is(n, isString) {
			return 0, false
		}
		mib, ok := mebibytes(n.text)
		if !ok || mib < 1 || mib > maxMebibytes {
			r.wrong(n, want)
			return 0, false
		}
		return int64(mib), true
	}}
}

func mebibytes(s string) (float64, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s == "" {
		return 0, false
	}
	factor, known := map[byte]float64{'K': 1.0 / 1024, 'M': 1, 'G': 1024}[s[len(s)-1]]
	digits := strings.TrimSpace(s[:len(s)-1])
	if !known || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(digits, 64)
	return math.Trunc(f * factor), err == nil
}

func integer(literal string) (int64, bool) {
	v, err := strconv.ParseInt(strings.ReplaceAll(literal, "_", ""), 0, 64)
	return v, err == nil
}

// decimal is NaN for what is no number at all; a value out of range is infinite.
func decimal(literal string) float64 {
	f, err := strconv.ParseFloat(strings.ReplaceAll(literal, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}
