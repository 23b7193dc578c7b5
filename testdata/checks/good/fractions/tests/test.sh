#!/bin/sh
if grep -q 42 /app/answer; then r=1.0; else r=0.0; fi
printf '{"reward": %s, "passed": %s}\n' "$r" 1 >/logs/verifier/reward.json
echo "{\"total\": 12}" >/logs/verifier/reward-details.json
