#!/bin/sh
# Runs every fuzz target of the tree for a while each: ./fuzz.sh 30s
set -eu
time=${1:-30s}
for file in $(grep -rl --include='*_test.go' '^func Fuzz' .); do
	dir=$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		echo "== $dir $target"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 20x
	done
done
