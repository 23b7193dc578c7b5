// Package score turns a submission and the expected answers into rewards, by primitives that are exact: numbers are decimals, an absent answer is 0, and a
// fault of the author's is an error and never a score.
package score
