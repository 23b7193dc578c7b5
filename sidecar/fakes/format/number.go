package format

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxDigits bounds the length of a number; the longest number that a float64 needs has 309 digits before the point.
const maxDigits = 400

// Number gives the one spelling that equal numbers have: whole numbers have neither point nor exponent, and others are
// the shortest decimal that is read as the same float64. Whole numbers written as such keep all their digits. It
// returns a *NumberError when text is no JSON number, is too large for a float64, or is longer than 400 bytes.
func Number(text string) (json.Number, error) {
	if len(text) > maxDigits || !isNumber(text) {
		return "", &NumberError{Text: clip(text)}
	}
	if strings.Trim(text, "-0123456789") == "" {
		if text == "-0" {
			return "0", nil
		}
		return json.Number(text), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", &NumberError{Text: clip(text)}
	}
	return Float(f), nil
}

// Float gives the number f in the spelling of Number. Infinities and NaN, which JSON lacks, become 0.
func Float(f float64) json.Number {
	switch {
	case f == 0, math.IsNaN(f), math.IsInf(f, 0):
		return "0"
	case f == math.Trunc(f), math.Abs(f) >= 1e-6:
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	// The exponents of JSON encoders have no leading zero.
	if i := strings.Index(s, "e-0"); i > 0 {
		s = s[:i+2] + s[i+3:]
	}
	return json.Number(s)
}

// isNumber reports whether s is a number by the grammar of RFC 8259, section 6.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
