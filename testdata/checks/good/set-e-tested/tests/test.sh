#!/bin/bash
set -e
REWARD=0
grep -q 42 /app/answer && REWARD=1 || REWARD=0
diff /app/answer /tests/answer || REWARD=0
echo $REWARD > /logs/verifier/reward.txt
