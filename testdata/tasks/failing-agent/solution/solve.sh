#!/bin/sh
# Writes how many numbers there are in place of their sum, and ends with an error: a failed agent is graded all the same.
grep -c . /app/numbers.txt >/app/sum.txt
echo 'the sum looks wrong' >&2
exit 1
