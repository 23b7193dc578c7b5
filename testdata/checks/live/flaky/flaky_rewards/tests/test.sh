#!/bin/sh
r=0
if [ -e /app/answer ]; then r=1; fi
echo "{\"reward\": $r, \"speed\": 0.$(od -An -tu4 -N4 /dev/urandom | tr -d " ")}" >/logs/verifier/reward.json
