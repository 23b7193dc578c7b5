#!/bin/bash -e
mkdir -p /logs/verifier
[ "$(cat /app/answer)" = 42 ]
echo 1 >/logs/verifier/reward.txt
