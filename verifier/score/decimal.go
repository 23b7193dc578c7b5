package score

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number: 0.digits times ten to the power of point. Its digits are never filled up with zeros, so that 1e99999 costs no
// more than its text. Equal numbers are equal structs.
type decimal struct {
	negative bool
	digits   string // no zeros at either end; none at all is 0
	point    int
}

// maxExponent is where exponents end that can be counted; numbers beyond are no decimals.
const maxExponent = 1e17

// maxDigits bounds the author's numbers, which are added and multiplied and so have to be written out.
const maxDigits = 4096

func newDecimal(negative bool, digits string, point int) decimal {
	rest := strings.TrimLeft(digits, "0")
	if rest == "" {
		return decimal{}
	}
	return decimal{negative, strings.TrimRight(rest, "0"), point - len(digits) + len(rest)}
}

// number is the exact value of a JSON number.
func number(v any) (decimal, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return decimal{}, false
	}
	text, negative := strings.CutPrefix(n.String(), "-")
	text, exponent, scaled := strings.Cut(strings.Replace(text, "E", "e", 1), "e")
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	if digits == "" {
		return decimal{}, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return decimal{}, false
		}
	}
	d := newDecimal(negative, digits, len(whole))
	if !scaled || d.digits == "" {
		return d, true
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e > maxExponent || e < -maxExponent {
		return decimal{}, false
	}
	d.point += e
	return d, true
}

// bounded tells whether a number is small enough to be written out.
func (a decimal) bounded() bool {
	return len(a.digits) <= maxDigits && a.point <= maxDigits && a.point >= -maxDigits
}

func (a decimal) sign() int {
	switch {
	case a.digits == "":
		return 0
	case a.negative:
		return -1
	}
	return 1
}

func (a decimal) abs() decimal {
	a.negative = false
	return a
}

func (a decimal) minus() decimal {
	a.negative = a.digits != "" && !a.negative
	return a
}

func (a decimal) cmp(b decimal) int {
	if s := cmp.Compare(a.sign(), b.sign()); s != 0 || a.digits == "" {
		return s
	}
	return a.sign() * a.cmpAbs(b)
}

// cmpAbs compares without regard to the signs; neither is 0.
func (a decimal) cmpAbs(b decimal) int {
	return cmp.Or(cmp.Compare(a.point, b.point), strings.Compare(a.digits, b.digits))
}

// add writes out every place from the first to the last of both, so their exponents must be near each other.
func (a decimal) add(b decimal) decimal {
	switch {
	case a.digits == "":
		return b
	case b.digits == "":
		return a
	case a.cmpAbs(b) < 0:
		a, b = b, a
	}
	one := 1
	if a.negative != b.negative {
		one = -1
	}
	// The first place is for what is carried.
	end := max(len(a.digits), a.point-b.point+len(b.digits))
	out := make([]byte, end+1)
	carry := 0
	for i := end - 1; i >= 0; i-- {
		d := carry
		if i < len(a.digits) {
			d += int(a.digits[i] - '0')
		}
		if j := i - a.point + b.point; j >= 0 && j < len(b.digits) {
			d += one * int(b.digits[j]-'0')
		}
		carry = 0
		if d < 0 {
			d, carry = d+10, -1
		} else if d > 9 {
			d, carry = d-10, 1
		}
		out[i+1] = byte('0' + d)
	}
	out[0] = byte('0' + carry) // a is not the smaller one, so nothing is borrowed from here
	return newDecimal(a.negative, string(out), a.point+1)
}

func (a decimal) mul(b decimal) decimal {
	if len(a.digits) < len(b.digits) {
		a, b = b, a
	}
	if b.digits == "" {
		return decimal{}
	}
	const short = 17 // digits, so that nine times as much, and what is carried, is an integer still
	var x string
	if len(b.digits) <= short {
		x = times(a.digits, b.digits)
	} else {
		x = new(big.Int).Mul(integer(a.digits), integer(b.digits)).String()
	}
	return newDecimal(a.negative != b.negative, x, a.point+b.point-len(a.digits)-len(b.digits)+len(x))
}

// times multiplies digits by a few digits, in one pass.
func times(digits, few string) string {
	by, _ := strconv.ParseUint(few, 10, 64)
	out := make([]byte, len(digits)+len(few))
	var carry uint64
	for i := range slices.Backward(out) {
		if j := i - len(few); j >= 0 {
			carry += by * uint64(digits[j]-'0')
		}
		out[i] = byte('0' + carry%10)
		carry /= 10
	}
	return string(out)
}

// places is how many digits a number has after the point.
func (a decimal) places() int {
	return max(0, len(a.digits)-a.point)
}

// cut drops what comes after so many digits behind the point.
func (a decimal) cut(places int) decimal {
	return newDecimal(a.negative, a.digits[:min(len(a.digits), max(0, a.point+places))], a.point)
}

// share is a / b as a float, where 0 <= a <= b and b is above 0. Forty digits of each are more than a float can tell apart.
func share(a, b decimal) float64 {
	const enough, least = 40, -400
	if a.digits == "" || a.point-b.point < least {
		return 0
	}
	x, y := a.digits[:min(len(a.digits), enough)], b.digits[:min(len(b.digits), enough)]
	places := b.point - a.point + len(x) - len(y)
	x += strings.Repeat("0", max(0, -places))
	y += strings.Repeat("0", max(0, places))
	v, _ := new(big.Rat).SetFrac(integer(x), integer(y)).Float64()
	return v
}

// integer reads digits.
func integer(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

// String is a number that is not negative, as near as a float comes to it.
func (a decimal) String() string {
	f, _ := strconv.ParseFloat("0."+a.digits+"e"+strconv.Itoa(a.point), 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}
