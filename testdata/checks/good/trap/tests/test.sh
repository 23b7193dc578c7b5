#!/bin/bash
set -e
finish() { [ -f /logs/verifier/reward.txt ] || echo 0 >/logs/verifier/reward.txt; }
trap finish EXIT
grep -q 42 /app/answer
echo 1 >/logs/verifier/reward.txt
