#!/bin/sh
# Writes 1 when the cheapest product was found, else 0.
if [ "$(cat /app/cheapest.txt 2>/dev/null)" = rope ]; then
	echo '{"reward": 1}' >/logs/verifier/reward.json
else
	echo '{"reward": 0}' >/logs/verifier/reward.json
fi
