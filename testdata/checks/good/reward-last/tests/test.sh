#!/bin/sh
if ! grep -q 42 /app/answer; then
  echo 0 >/logs/verifier/reward.txt
  exit 0
fi
echo 1 >/logs/verifier/reward.txt
cat /logs/verifier/reward.txt
rm -f /tmp/x
exit 0
