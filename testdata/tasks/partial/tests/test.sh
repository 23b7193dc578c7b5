#!/bin/sh
# Scores two dimensions. The third one, links, needs a network that the task does not have: it is left out of the rewards,
# and its criterion says why.
out=/logs/verifier

order=0
if [ "$(cat /app/sorted.txt 2>/dev/null)" = "$(sort /app/words.txt)" ]; then
	order=1
fi
heading=0
if grep -q '^# ' /app/summary.md 2>/dev/null; then
	heading=1
fi
count=0
if grep -qx "words: $(grep -c . /app/words.txt)" /app/summary.md 2>/dev/null; then
	count=1
fi
summary=$(awk "BEGIN { print ($heading + $count) / 2 }")

cat >$out/reward-details.json <<END
{
  "order": {
    "kind": "programmatic",
    "criteria": [
      {"name": "sorted", "value": $order, "reasoning": "sorted.txt was compared with the output of sort"}
    ]
  },
  "summary": {
    "kind": "programmatic",
    "criteria": [
      {"name": "heading", "value": $heading, "reasoning": "a line of summary.md has to start with '# '"},
      {"name": "count", "value": $count, "reasoning": "a line of summary.md has to be 'words: N'"}
    ]
  },
  "links": {
    "kind": "programmatic",
    "criteria": [
      {"name": "reachable", "value": 0, "optional": true, "error": "there is no network to try links on"}
    ]
  }
}
END
echo "{\"order\": $order, \"summary\": $summary}" >$out/reward.json
