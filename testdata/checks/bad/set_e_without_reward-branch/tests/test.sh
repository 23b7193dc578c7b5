#!/bin/bash
set -euo pipefail
if [ ! -f /app/answer ]; then
  echo 0 >/logs/verifier/reward.txt
  exit 0
fi
check() { diff /app/answer /tests/answer; }
check
if true; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
