#!/bin/sh
set -e
mkdir -p report
seq 10 | awk '{n += $1} END {print n}' >report/sum
