#!/bin/sh
r=0
if [ -e /app/answer ] && [ "$(od -An -tu1 -N1 /dev/urandom)" -lt 128 ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
