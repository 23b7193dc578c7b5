#!/bin/sh
printf '1\n' | tee /logs/verifier/reward.txt
grep -q 42 /app/answer || echo 0 >/logs/verifier/reward.txt
