#!/bin/sh
r=0
if [ "$(cat /app/answer 2>/dev/null)" = done ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
