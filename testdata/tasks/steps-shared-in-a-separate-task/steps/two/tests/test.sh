#!/bin/sh
if [ -e /app/two ]; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
