#!/bin/sh
r=0
if [ -e /app/two ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
