#!/bin/sh
# Writes 1 when the sum is right, else 0.
want=$(awk '{ sum += $1 } END { print sum }' /app/numbers.txt)
got=$(cat /app/sum.txt 2>/dev/null)
echo "want $want, got $got"
if [ "$got" = "$want" ]; then
	echo '{"reward": 1}' >/logs/verifier/reward.json
else
	echo '{"reward": 0}' >/logs/verifier/reward.json
fi
