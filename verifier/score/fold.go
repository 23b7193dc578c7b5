package score

import "unicode"

// folds is Unicode's simple case folding: one letter stands for all that differ in case only. It never makes two letters of one, so ß is not SS, and İ is not i.
// It holds the answers for the alphabets from Latin to Armenian, since texts are long.
type folds []rune

func newFolds() folds {
	const armenian = 0x590 // where it ends
	f := make(folds, armenian)
	for r := range f {
		f[r] = fold(rune(r))
	}
	return f
}

func (f folds) of(r rune) rune {
	if int(r) < len(f) {
		return f[r]
	}
	return fold(r)
}

func fold(r rune) rune {
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
