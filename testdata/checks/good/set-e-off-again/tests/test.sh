#!/bin/bash
set -e
cd /app
set +e
grep -q 42 /app/answer
rc=$?
set -e
if [ $rc -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
exit $rc
