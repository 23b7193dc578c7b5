#!/bin/sh
# Runs every fuzz target of the tree for a while each, some of them at a time: ./fuzz.sh 30s 2
set -eu
time=${1:-30s}
jobs=${2:-1}
grep -r --include='*_test.go' -o '^func Fuzz[A-Za-z0-9_]*(' . | sed 's|^\(.*\)/[^/]*:func \(.*\)($|\1 \2|' |
	xargs -P "$jobs" -n 2 sh -c '
		if out=$(go test "$1" -run "^$" -fuzz "^$2\$" -fuzztime "$0" -fuzzminimizetime 20x -parallel "${FUZZWORKERS:-2}" 2>&1)
		then echo "ok   $1 $2: $(printf "%s\n" "$out" | grep -o "execs: [0-9]*" | tail -n 1)"
		else echo "FAIL $1 $2"; printf "%s\n" "$out" | tail -n 40; exit 1
		fi' "$time"
