#!/bin/sh
r=0
if [ -e /app/one ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
