#!/bin/bash
set -e
grep -q 42 /app/answer && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
cat /logs/verifier/reward.txt
ls /app
