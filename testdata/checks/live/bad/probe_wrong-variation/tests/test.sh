#!/bin/sh
r=0
if [ "$(od -An -c /app/answer 2>/dev/null)" = "   d   o   n   e  \n" ]; then r=1; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
