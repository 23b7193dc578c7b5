#!/bin/sh
[ "$(cat /app/answer 2>/dev/null)" = done ] || exit 1
echo "{\"reward\": 1}" >/logs/verifier/reward.json
