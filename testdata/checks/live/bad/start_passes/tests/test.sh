#!/bin/sh
r=0
if [ -d /app ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
