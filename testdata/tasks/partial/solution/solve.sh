#!/bin/sh
# Sorts the words and counts them, and forgets the heading.
set -e
sort /app/words.txt >/app/sorted.txt
echo "words: $(grep -c . /app/words.txt)" >/app/summary.md
